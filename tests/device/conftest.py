"""The firmware of an emulated board, built once, and boards that run it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gradmote.device.client import Client
from gradmote.device.emulated_firmware import default_firmware
from gradmote.device.emulator import Emulator
from support.classifier_image import classifier_image
from support.firmware import build_firmware


@pytest.fixture(scope="session")
def firmware() -> Path:
    """firmware.elf of the emulated board, up to date."""
    build_firmware()
    return default_firmware("mps2-an386")


@pytest.fixture
def emulator(firmware: Path) -> Iterator[Emulator]:
    with Emulator(elf=firmware) as running:
        yield running


@pytest.fixture
def board(emulator: Emulator) -> Iterator[Client]:
    with emulator.connect() as client:
        yield client


@pytest.fixture
def image() -> bytes:
    """A small classifier with all five programs."""
    return classifier_image()
