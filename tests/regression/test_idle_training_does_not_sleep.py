"""A board that trains when idle slept after each step until its clock woke it: 100 steps a second of a model that takes
17,000."""

from __future__ import annotations

import time

import pytest
from bench.soak import prepare

from gradmote.device import emulated_board
from support.firmware import build_firmware

SECONDS, WAKES_PER_SECOND = 3, 100


@pytest.mark.device
def test_steps_follow_each_other():
    build_firmware()
    with emulated_board("mps2-an386") as target:
        prepare(target, steps=1000, seed=0)
        target.board.set_idle_training(True)
        time.sleep(SECONDS)
        assert target.board.metrics().train_steps > 2 * SECONDS * WAKES_PER_SECOND
