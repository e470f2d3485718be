"""The rows of Objective-C, compiled by clang for GNUstep."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from bindings.row import Row, require
from runtime_sources import HANDLES, INCLUDES
from support.firmware import ROOT, run_scons

LIBRARIES = ROOT / "build" / "libraries"
OBJC = ROOT / "bindings" / "objc"
PROGRAMS = Path(__file__).with_name("programs")


def gnustep(option: str) -> list[str]:
    """Return the flags of clang that GNUstep's Foundation asks for. Raises Missing."""
    done = subprocess.run([require("gnustep-config"), option], capture_output=True, text=True, check=True)
    return [flag for flag in done.stdout.split() if flag not in ("-MMD", "-MP")]


def folder_of(file: str) -> str:
    """Return the folder of gcc where a file of its Objective-C runtime lies."""
    done = subprocess.run([require("gcc"), f"-print-file-name={file}"], capture_output=True, text=True, check=True)
    return str(Path(done.stdout.strip()).parent)


def compile_program(source: Path, program: Path, profile: str) -> None:
    """Compile a program with the classes of bindings/objc, and link it with the library of a profile."""
    run_scons("libraries")
    includes = [OBJC / "include", HANDLES, INCLUDES[0], Path(folder_of("include"), "include")]
    flags = [*gnustep("--objc-flags"), "-Wextra", "-Wno-unused-parameter", "-Werror", "-DGM_THREADS=1"]
    libraries = [f"-L{LIBRARIES}", f"-lgradmote_{profile}", *gnustep("--base-libs"), f"-L{folder_of('libobjc.so')}"]
    sources = [str(source), *map(str, sorted(OBJC.glob("*.m")))]
    command = [
        require("clang-14"),
        *flags,
        *(f"-I{path}" for path in includes),
        *sources,
        *libraries,
        "-o",
        str(program),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def run_objc(source: Path, folder: Path, profile: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Compile a program into a folder, and run it."""
    program = folder / f"{source.stem}_{profile}"
    compile_program(source, program, profile)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARIES)}
    command = [str(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment)


def digest(model: Path, steps: int, profile: str) -> str:
    """Train in Objective-C and return the state's digest."""
    file = model.with_suffix(f".{profile}.gmck")
    done = run_objc(PROGRAMS / "SameState.m", model.parent, profile, str(model), str(steps), str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    return hashlib.sha256(file.read_bytes()).hexdigest()


def row(profile: str) -> Row:
    """Return the row of a profile."""
    return Row("Objective-C", profile, lambda model, steps: digest(model, steps, profile))


ROWS = [row("fused"), row("strict")]
