"""A Python for aarch64 from Debian's packages, in a folder, run under qemu's user-mode emulation."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

from .commands import WORK, Missing, run
from .debian import unpacked
from .foreign import install

#: The Debian packages of Python, for the modules that the twin imports.
PACKAGES = ("python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libc6", "libexpat1", "zlib1g")
PACKAGES += ("libffi8", "libssl3", "libbz2-1.0", "liblzma5", "libuuid1", "libgcc-s1")
FOLDER = WORK / "arm64"
VERSION = "3.11"


def run_wheel(wheel: Path, model: Path, steps: int, profile: str) -> str:
    """Train the wheel's twin, and return what it printed."""
    if shutil.which("qemu-aarch64") is None:
        raise Missing("qemu-aarch64")
    packages = install(wheel, FOLDER / "packages", VERSION, "manylinux2014_aarch64")
    interpreter = root() / "usr" / "bin" / f"python{VERSION}"
    program = Path(__file__).with_name("same_state.py")
    command = ["qemu-aarch64", "-L", root(), interpreter, program, model, steps, profile]
    return run(command, WORK, PYTHONPATH=str(packages), PYTHONHOME=str(root() / "usr"))


@cache
def root() -> Path:
    """Return a folder with Debian's packages for arm64."""
    return unpacked(PACKAGES, FOLDER, "arm64")
