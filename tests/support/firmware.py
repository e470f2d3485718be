"""Builds the firmware; skips where the tools for it are missing."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from gradmote.device.emulator import missing

ROOT = Path(__file__).resolve().parents[2]


def build_firmware(*arguments: str, board: str = "mps2-an386") -> None:
    """`scons firmware`. Skips where `board` cannot be built or emulated; what others lack, scons names."""
    scons_firmware(*arguments)
    lack = missing(board)
    if lack:
        pytest.skip(lack)


def scons_firmware(*arguments: str) -> None:
    run_scons("firmware", *arguments)


@cache
def run_scons(*arguments: str) -> None:
    """Several test processes would build at once: they take turns."""
    command = [sys.executable, "-m", "SCons", "-Q", *arguments]
    with (ROOT / "firmware" / "SConscript").open() as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
