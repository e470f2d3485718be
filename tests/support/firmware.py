"""Builds the firmware; skips where the tools for it are missing."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gradmote.device.emulator import EMULATORS, INSTALL_COMPILER

ROOT = Path(__file__).resolve().parents[2]


def build_firmware(*arguments: str) -> None:
    """Runs `scons firmware`. Several test processes would build at once: they take turns."""
    for program, install in EMULATORS.items():
        if shutil.which(program) is None:
            pytest.skip(install)
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip(INSTALL_COMPILER)
    command = [sys.executable, "-m", "SCons", "-Q", "firmware", *arguments]
    with (ROOT / "firmware" / "SConscript").open() as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
