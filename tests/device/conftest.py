"""The firmware, built once, and emulated boards that run it."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradmote.device.client import Board
from gradmote.device.emulator import INSTALL_COMPILER, INSTALL_QEMU, QEMU, Emulator, default_firmware
from support.classifier_image import classifier_image

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def firmware() -> Path:
    """firmware.elf of the emulated board, up to date."""
    if shutil.which(QEMU) is None:
        pytest.skip(INSTALL_QEMU)
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip(INSTALL_COMPILER)
    with (ROOT / "firmware" / "SConscript").open() as turn:  # several test processes would build at once
        fcntl.flock(turn, fcntl.LOCK_EX)
        built = subprocess.run(
            [sys.executable, "-m", "SCons", "-Q", "firmware"], cwd=ROOT, capture_output=True, text=True, check=False
        )
    assert built.returncode == 0, built.stdout + built.stderr
    return default_firmware("mps2-an386")


@pytest.fixture
def emulator(firmware: Path) -> Iterator[Emulator]:
    with Emulator(elf=firmware) as running:
        yield running


@pytest.fixture
def board(emulator: Emulator) -> Iterator[Board]:
    with emulator.connect() as client:
        yield client


@pytest.fixture
def image() -> bytes:
    """A small classifier with all five programs."""
    return classifier_image()
