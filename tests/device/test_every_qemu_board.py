"""`gradmote train --on qemu:BOARD` and `gradmote console qemu:BOARD`, for a float model and an int8 one: firmware that is
missing is built, for the model where the general one has no int8; a model that is too large is refused before that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from device.every_qemu_board import EMULATED, MODELS, image, measure

from gradmote import cli
from gradmote.device import emulated_firmware, open_target
from gradmote.device.boards import board
from gradmote.device.flash.watch import Watch
from gradmote.errors import DeviceError, ModelError
from support.firmware import build_firmware

pytestmark = pytest.mark.device

SMALL = "stm32vldiscovery"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", EMULATED)
def test_a_board_learns_and_is_typed_at(name: str, model: str, tmp_path: Path) -> None:
    build_firmware(board=name)
    row = measure(name, model, tmp_path)
    assert row.is_well, row
