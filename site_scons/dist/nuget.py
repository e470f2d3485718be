"""The package for NuGet: the assembly for .NET Standard 2.0, and the libraries of all targets by their runtime identifier."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

from amalgamate import version
from java_package import write_zip
from runtime_sources import ROOT

from .commands import OUT, WORK, Failed, Missing, run
from .debian import unpacked
from .libraries import runtime_libraries
from .published import described
from .targets import TARGETS

FOLDER = WORK / "nuget"
CSHARP = ROOT / "bindings" / "csharp"
#: The Debian packages of Mono's netstandard.dll, and of the library that rewrites assemblies.
PACKAGES = ("mono-devel", "libmono-cecil-private-cil")
COMPILE = ("mcs", "-langversion:7.2", "-warnaserror")
#: What an archive of the Open Packaging Conventions says of itself.
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
{}
</Types>
"""
RELATIONS = """<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Gradmote.nuspec" Id="R1" />
</Relationships>
"""


def package() -> Path:
    """Make the package and return its path."""
    natives = {f"runtimes/{t.rid}/native/{made.name}": made for t in TARGETS for made in runtime_libraries(t)}
    folder = assembly()
    files = {
        "Gradmote.nuspec": nuspec().encode(),
        "README.md": (CSHARP / "README.md").read_bytes(),
        "LICENSE.txt": (ROOT / "LICENSE").read_bytes(),
        **{f"lib/netstandard2.0/{name}": (folder / name).read_bytes() for name in ("Gradmote.dll", "Gradmote.xml")},
        **{name: path.read_bytes() for name, path in natives.items()},
    }
    made = OUT / f"Gradmote.{version()}.nupkg"
    write_zip(made, {"[Content_Types].xml": content_types(files), "_rels/.rels": RELATIONS.encode(), **files})
    return made


def content_types(files: dict[str, bytes]) -> bytes:
    """Return the type of each ending."""
    endings = sorted({name.rpartition(".")[2] for name in files})
    lines = [f'  <Default Extension="{ending}" ContentType="application/octet" />' for ending in endings]
    return TYPES.format("\n".join(lines)).encode()


def nuspec() -> str:
    """Return the description of the package. Raises Failed if its version is not this one."""
    text = (CSHARP / "Gradmote.nuspec").read_text()
    if f"<version>{version()}</version>" not in text:
        raise Failed(f"bindings/csharp/Gradmote.nuspec has another version than {version()}")
    address = '  <projectUrl>{0}</projectUrl>\n    <repository type="git" url="{0}" />\n  '
    return described(text, {}, "</metadata>", address)


def assembly() -> Path:
    """Compile the assembly and its documentation, and return their folder. Raises Missing and Failed."""
    if shutil.which("mcs") is None:
        raise Missing("mcs")
    shutil.rmtree(FOLDER / "made", ignore_errors=True)
    (FOLDER / "made" / "of-mono").mkdir(parents=True)
    about = FOLDER / "made" / "About.cs"
    about.write_text(
        f'[assembly: System.Reflection.AssemblyVersion("{version()}.0")]\n'
        '[assembly: System.Runtime.Versioning.TargetFramework(".NETStandard,Version=v2.0")]\n'
    )
    sources = [path for part in ("src", "generated") for path in sorted((CSHARP / part).rglob("*.cs"))]
    compiled, made = FOLDER / "made" / "of-mono" / "Gradmote.dll", FOLDER / "made" / "Gradmote.dll"
    documentation = f"-doc:{made.with_suffix('.xml')}"
    run([*COMPILE, "-nowarn:1591", "-target:library", documentation, f"-out:{compiled}", about, *sources])
    rewriter = FOLDER / "made" / "rewrite.exe"
    run([*COMPILE, f"-out:{rewriter}", f"-r:{cecil()}", Path(__file__).with_name("netstandard.cs")])
    run(["mono", rewriter, compiled, made, netstandard()], MONO_PATH=str(cecil().parent))
    return made.parent


@cache
def mono() -> Path:
    """Return the folder of Mono's libraries in Debian's packages."""
    return unpacked(PACKAGES, FOLDER, "amd64") / "usr" / "lib" / "mono"


def cecil() -> Path:
    return max(mono().glob("gac/Mono.Cecil/0.11*/Mono.Cecil.dll"))


def netstandard() -> Path:
    """Return the library in which Mono looks for the types of .NET Standard."""
    return mono() / "4.5" / "Facades" / "netstandard.dll"
