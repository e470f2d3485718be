"""Load the shared libraries of each target that this computer can run programs of, and train with them."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from runtime_sources import HANDLES

from . import arm64, wine
from .commands import MUSL, WORK, ZIG, Missing, run
from .compared import compared
from .targets import TARGETS, Target

SOURCE = Path(__file__).with_name("load_library.c")
FOLDER = WORK / "native-trials"


def planned(package: Path) -> list[tuple[str, Callable[[], str]]]:
    """Return the trials of the libraries in the package for NuGet. The package for Maven has the same."""
    libraries = FOLDER / "package"
    shutil.rmtree(libraries, ignore_errors=True)
    shutil.unpack_archive(package, libraries, "zip")
    runs = [target for target in TARGETS if "macos" not in target.zig]
    return [(f"library, {target.name}", partial(compared, partial(train, libraries, target))) for target in runs]


def train(libraries: Path, target: Target, model: Path, steps: int, profile: str) -> str:
    """Train with a library, and return the SHA-256 of the checkpoint. Raises Missing and Failed."""
    library = libraries / "runtimes" / target.rid / "native" / target.library(f"gradmote_{profile}")
    checkpoint = FOLDER / f"{target.name}-{profile}.gmck"
    checkpoint.unlink(missing_ok=True)
    job = (library, model, steps, checkpoint)
    if target.windows:
        wine.run_windows(program(target), *(wine.windows(word) if isinstance(word, Path) else word for word in job))
    else:
        run([*emulator(target), program(target), *job], WORK)
    return hashlib.sha256(checkpoint.read_bytes()).hexdigest()


def program(target: Target) -> Path:
    """Compile the program for a target."""
    made = FOLDER / f"{target.name}.exe"
    system = [] if target.windows else ["-ldl"]
    run([*ZIG, "cc", "-target", target.zig, "-O2", "-dynamic", f"-I{HANDLES}", SOURCE, *system, "-o", made])
    return made


def emulator(target: Target) -> list[object]:
    """Return what comes before a program of a target on this computer. Raises Missing."""
    if target.machine != os.uname().machine and target.machine == "aarch64":
        if shutil.which("qemu-aarch64") is None:
            raise Missing("qemu-aarch64")
        return ["qemu-aarch64", "-L", arm64.root()]
    if "musl" not in target.zig:
        return []
    if not (MUSL / "libc.so").exists():
        raise Missing("musl")
    return [MUSL / "libc.so"]  # musl's library is its loader
