"""The rows of Swift."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from bindings.row import Row, require
from support.firmware import ROOT, run_scons

LIBRARIES = ROOT / "build" / "libraries"
SWIFT = ROOT / "bindings" / "swift"
PROGRAMS = Path(__file__).with_name("programs")


def swiftc(folder: Path, *arguments: str) -> None:
    """Compile with the C module on the search path. Raise Missing if there is no swiftc."""
    command = [require("swiftc"), "-O", "-swift-version", "5", "-warnings-as-errors", f"-I{folder}"]
    module = [f"-I{SWIFT / 'CGradmote'}", "-Xcc", f"-I{ROOT / 'runtime_c' / 'include'}"]
    done = subprocess.run([*command, *module, *arguments], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def run_swift(source: Path, folder: Path, profile: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Compile the module Gradmote and a program into a folder, and run the program."""
    require("swiftc")
    run_scons("libraries")
    library = ["-emit-module", "-emit-library", "-static", "-parse-as-library", "-module-name", "Gradmote"]
    module = folder / "Gradmote.swiftmodule"
    archive = folder / "libGradmote.a"
    sources = map(str, sorted((SWIFT / "Gradmote").glob("*.swift")))
    swiftc(folder, *library, "-emit-module-path", str(module), *sources, "-o", str(archive))
    program = folder / f"{source.stem}_{profile}"
    linked = [str(archive), f"-L{LIBRARIES}", f"-lgradmote_{profile}"]
    swiftc(folder, str(source), *linked, "-o", str(program))
    environment = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARIES)}
    command = [str(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment)


def digest(model: Path, steps: int, profile: str) -> str:
    """Train in Swift and return the state's digest."""
    file = model.with_suffix(f".{profile}.gmck")
    done = run_swift(PROGRAMS / "SameState.swift", model.parent, profile, str(model), str(steps), str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    return hashlib.sha256(file.read_bytes()).hexdigest()


def row(profile: str) -> Row:
    """Return the row of a profile."""
    return Row("Swift", profile, lambda model, steps: digest(model, steps, profile))


ROWS = [row("fused"), row("strict")]
