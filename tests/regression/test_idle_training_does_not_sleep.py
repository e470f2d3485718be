"""A board that trains when idle slept after each step until its clock woke it: 100 steps a second of a model that takes
17,000."""

from __future__ import annotations

import pytest
from bench.soak import prepare

from support.debugger import address_of
from support.emulated_part import PROGRAM_COUNTER, EmulatedPart
from support.firmware import build_firmware

BOARD = "mps2-an386"
SLICES = 200


@pytest.mark.device
def test_steps_follow_each_other():
    """Once the first has begun, the program keeps running slices of steps, and never reaches its sleep."""
    build_firmware(board=BOARD)
    with EmulatedPart(BOARD) as part:
        prepare(part.target, steps=1000, seed=0)
        part.target.board.set_idle_training(True)
        debugger = part.debugger()
        begins, sleeps = (address_of(part.built.compiler, part.elf, name) for name in ("run_slice", "board_sleep"))
        debugger.break_at([begins])
        debugger.run()
        debugger.break_at([sleeps])
        places = []
        for _ in range(SLICES):
            debugger.step()
            debugger.run()
            places.append(debugger.register(PROGRAM_COUNTER[part.built.compiler]))
        assert set(places) == {begins}
        debugger.detach()
