"""Use the package for NuGet as a project does: by NuGet itself, on Mono, and on .NET, on Linux and for Windows under wine."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from amalgamate import version
from runtime_sources import ROOT

from . import wine
from .commands import WORK, Failed, Missing, python, run
from .compared import compared
from .nuget import netstandard
from .targets import TARGETS

PROGRAM = ROOT / "tests" / "bindings" / "programs" / "SameState.cs"
EVERY_METHOD = Path(__file__).with_name("every_method.cs")
FOLDER = WORK / "nuget-trials"
#: A runtime of .NET as a package of Python: no Debian package has one.
DOTNET = "dotnetcore2==3.1.23"
FRAMEWORK = {"name": "Microsoft.NETCore.App", "version": "3.1.0"}
ASSEMBLY = "lib/netstandard2.0/Gradmote.dll"
#: .NET does without the library ICU.
INVARIANT = {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
#: pip's platforms.
LINUX, WINDOWS = "manylinux1_x86_64", "win_amd64"


def planned(package: Path) -> list[tuple[str, Callable[[], str]]]:
    """Return the trials of the package."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    folder = FOLDER / "packages" / "gradmote" / version()  # as in NuGet's folder of packages
    shutil.unpack_archive(package, folder, "zip")
    return [
        ("NuGet", partial(by_nuget, package)),
        ("Mono", partial(compared, partial(on_mono, folder))),
        (".NET Core 3.1", partial(compared, partial(on_dotnet, folder))),
        (".NET Core 3.1, all methods", partial(prepares, folder)),
        (".NET Core 3.1 for Windows, wine", partial(compared, partial(on_windows, folder))),
    ]


def by_nuget(package: Path) -> str:
    """Let NuGet install the package from a folder, and check the files. Raises Missing and Failed."""
    if shutil.which("nuget") is None:
        raise Missing("nuget")
    folder = FOLDER / "installed"
    options = ["-Source", package.parent, "-OutputDirectory", folder, "-NonInteractive", "-Version", version()]
    run(["nuget", "install", "Gradmote", *options], WORK)
    for path in (ASSEMBLY, *(f"runtimes/{t.rid}/native/{t.library('gradmote_fused')}" for t in TARGETS)):
        if not (folder / f"Gradmote.{version()}" / path).exists():
            raise Failed(f"NuGet installed no {path}")
    return "installed"


def compiled(folder: Path, source: Path, made: Path) -> Path:
    """Compile a program with the package's assembly."""
    if shutil.which("mcs") is None:
        raise Missing("mcs")
    made.parent.mkdir(parents=True, exist_ok=True)
    run(["mcs", "-langversion:7.2", f"-r:{folder / ASSEMBLY}", f"-r:{netstandard()}", f"-out:{made}", source])
    return made


def on_mono(folder: Path, *job: object) -> str:
    program = compiled(folder, PROGRAM, FOLDER / "mono" / "SameState.exe")
    places = [str((folder / ASSEMBLY).parent), str(netstandard().parent)]
    natives = {"LD_LIBRARY_PATH": str(folder / "runtimes" / "linux-x64" / "native")}
    return run(["mono", "--debug", program, *job], WORK, MONO_PATH=os.pathsep.join(places), **natives)


def on_dotnet(folder: Path, *job: object) -> str:
    """Train on .NET, which needs an old OpenSSL for digests: the program writes the checkpoint instead."""
    checkpoint = FOLDER / "state.gmck"
    run([dotnet(LINUX), *words(folder, PROGRAM), *job, checkpoint], WORK, **INVARIANT)
    return hashlib.sha256(checkpoint.read_bytes()).hexdigest()


def prepares(folder: Path) -> str:
    """Compile every method of the assembly to machine code: all that it refers to must exist. Raises Failed."""
    return run([dotnet(LINUX), *words(folder, EVERY_METHOD)], WORK, **INVARIANT).strip()


def on_windows(folder: Path, model: Path, *job: object) -> str:
    checkpoint = FOLDER / "state-windows.gmck"
    every = [dotnet(WINDOWS), *words(folder, PROGRAM), model, *job, checkpoint]
    wine.run_windows(*(wine.windows(word) if isinstance(word, Path) else word for word in every), **INVARIANT)
    return hashlib.sha256(checkpoint.read_bytes()).hexdigest()


def words(folder: Path, source: Path) -> list[str | Path]:
    """Return the arguments for running a program, with the files by which .NET finds the package's own."""
    program = compiled(folder, source, FOLDER / "net" / f"{source.stem}.dll")
    settings, found = program.with_suffix(".runtimeconfig.json"), program.with_suffix(".deps.json")
    settings.write_text(json.dumps({"runtimeOptions": {"framework": FRAMEWORK}}))
    found.write_text(json.dumps(dependencies(folder, program.stem)))
    options: list[str | Path] = ["exec", "--runtimeconfig", settings, "--depsfile", found]
    return [*options, "--additionalprobingpath", folder.parents[1], program]


def dependencies(folder: Path, program: str) -> dict[str, object]:
    """Return what `dotnet restore` and `dotnet build` write of a program that uses the package."""
    target, ours, own = ".NETCoreApp,Version=v3.1", f"Gradmote/{version()}", f"{program}/1.0.0"
    natives = {
        path.relative_to(folder).as_posix(): {"rid": path.parts[-3], "assetType": "native"}
        for path in sorted(folder.glob("runtimes/*/native/*"))
    }
    package = {"runtime": {ASSEMBLY: {}}, "runtimeTargets": natives}
    uses = {"dependencies": {"Gradmote": version()}, "runtime": {f"{program}.dll": {}}}
    libraries = {
        own: {"type": "project", "serviceable": False, "sha512": ""},
        ours: {"type": "package", "serviceable": True, "sha512": "", "path": f"gradmote/{version()}"},
    }
    return {"runtimeTarget": {"name": target}, "targets": {target: {own: uses, ours: package}}, "libraries": libraries}


def dotnet(platform: str) -> Path:
    """Fetch .NET for a platform and return its program."""
    folder = WORK / "dotnet" / platform
    if not folder.exists():
        options = ["--no-deps", "--platform", platform, "--python-version", "3.8", "--only-binary", ":all:"]
        python("-m", "pip", "download", "-q", *options, "-d", folder.with_name(f"{platform}-fetched"), DOTNET)
        shutil.unpack_archive(next(folder.with_name(f"{platform}-fetched").glob("*.whl")), folder, "zip")
    program = next(path for path in folder.rglob("dotnet*") if path.name in ("dotnet", "dotnet.exe"))
    program.chmod(0o755)
    return program
