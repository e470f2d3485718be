"""Packages for a Python that this computer's pip cannot run in: another processor's, or Windows'."""

from __future__ import annotations

import shutil
from pathlib import Path

from .commands import python

#: The packages that the twin imports besides gradmote.
NEEDED = ("cffi",)


def install(wheel: Path, folder: Path, version: str, platform: str) -> Path:
    """Put a wheel and its twin's imports into a folder, and return it.

    Another wheel replaces the folder's contents.
    """
    stamp = folder / "made-of"
    current = f"{wheel.name} {wheel.stat().st_mtime_ns}"
    if not (stamp.exists() and stamp.read_text() == current):
        shutil.rmtree(folder, ignore_errors=True)
        options = ["--platform", platform, "--python-version", version, "--only-binary", ":all:", "--target", folder]
        python("-m", "pip", "install", "-q", "--disable-pip-version-check", *options, *NEEDED)
        python("-m", "zipfile", "-e", wheel, folder)
        stamp.write_text(current)
    return folder
