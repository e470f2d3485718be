"""The rows of C++, and what its programs are compiled with."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from pathlib import Path

from bindings.row import Row, require
from runtime_sources import INCLUDES, ROOT
from support.objects import host_library, run

CPP = ROOT / "bindings" / "cpp"
PROGRAMS = Path(__file__).parent / "programs"
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
FLAGS = ["-std=c++17", *WARNINGS, "-DGM_THREADS=1", f"-I{INCLUDES[0]}", f"-I{CPP / 'include'}"]


def compiled(source: Path, folder: Path, profile: str = "strict", compiler: str = "g++", *flags: str) -> Path:
    """Compile a program with the runtime of a profile, and return it. Raise Missing if there is no compiler."""
    program = folder / source.stem
    command = [require(compiler), *FLAGS, "-O0", *flags, str(source), str(host_library(profile)), "-pthread"]
    run([*command, "-o", str(program)])
    return program


def digest(model: Path, steps: int, profile: str) -> str:
    """Train in C++, and return the digest of the checkpoint that the program writes."""
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(PROGRAMS / "SameState.cpp", Path(folder), profile)
        done = subprocess.run([str(program), str(model), str(steps)], capture_output=True, check=True)
    return hashlib.sha256(done.stdout).hexdigest()


def row(profile: str) -> Row:
    """Return the row of a profile."""
    return Row("C++", profile, lambda model, steps: digest(model, steps, profile))


ROWS = [row("fused"), row("strict")]
