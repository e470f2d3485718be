"""Packages for a Python that this computer's pip cannot run in: another processor's, or Windows'."""

from __future__ import annotations

import shutil
from pathlib import Path

from .commands import python

#: What the twin imports beside gradmote.
NEEDED = ("cffi",)


def install(wheel: Path, folder: Path, version: str, platform: str) -> Path:
    """Put a wheel and what its twin imports into a folder, and return that. It is made anew for another wheel."""
    stamp = folder / "made-of"
    current = f"{wheel.name} {wheel.stat().st_mtime_ns}"
    if not (stamp.exists() and stamp.read_text() == current):
        shutil.rmtree(folder, ignore_errors=True)
        options = ["--platform", platform, "--python-version", version, "--only-binary", ":all:", "--target", folder]
        python("-m", "pip", "install", "-q", "--disable-pip-version-check", *options, *NEEDED)
        python("-m", "zipfile", "-e", wheel, folder)
        stamp.write_text(current)
    return folder
