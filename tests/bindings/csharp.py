"""The rows of C#, by P/Invoke under Mono."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from bindings.row import Row, require
from support.firmware import ROOT, run_scons

ASSEMBLY = ROOT / "build" / "csharp" / "Gradmote.dll"
LIBRARIES = ROOT / "build" / "libraries"
PROGRAMS = Path(__file__).with_name("programs")


def build() -> None:
    """Build the assembly, its example and the libraries. Raise Missing if there is no Mono."""
    require("mcs")
    run_scons("csharp")


def run_csharp(source: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Compile a program into a folder, and run it."""
    build()
    program = folder / f"{source.stem}.exe"
    command = ["mcs", "-langversion:7.2", f"-r:{ASSEMBLY}", f"-out:{program}", str(source)]
    subprocess.run(command, capture_output=True, check=True, timeout=120)
    return run_program(program, *arguments)


def run_program(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of .NET with the assembly and the libraries of this checkout."""
    places = {"LD_LIBRARY_PATH": str(LIBRARIES), "MONO_PATH": str(ASSEMBLY.parent)}
    command = [require("mono"), "--debug", str(program), *arguments]
    environment = {**os.environ, **places}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment)


def digest(model: Path, steps: int, profile: str) -> str:
    """Train in C# and return the state's digest."""
    done = run_csharp(PROGRAMS / "SameState.cs", model.parent, str(model), str(steps), profile)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()[-1]


def row(profile: str) -> Row:
    """Return the row of a profile."""
    return Row("C# (Mono)", profile, lambda model, steps: digest(model, steps, profile))


ROWS = [row("fused"), row("strict")]
