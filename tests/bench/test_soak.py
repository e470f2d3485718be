"""The short form of soak.py, and that it sees a difference."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench.soak import BOARD, EVENTS, Drift, OnTwin, Soaked, prepare, soak, soak_board

from gradmote.device import TwinTarget
from support.firmware import build_firmware

STEPS, MOMENTS, SEED = 3000, 25, 1


def soak_twins(profile: str) -> Soaked:
    """Soak a twin of `profile` instead of a board."""
    with TwinTarget(profile) as first, TwinTarget("strict") as second:
        for each in (first, second):
            prepare(each, STEPS, SEED)
        *_, done = soak(OnTwin(first), OnTwin(second), STEPS, MOMENTS, SEED)
    return done


@pytest.mark.device
def test_a_board_and_its_twin_through_saves_and_restarts():
    build_firmware()
    done = soak_board(BOARD, STEPS, MOMENTS, SEED, lambda done: None)
    assert done.steps == STEPS < done.trained
    assert all(done.events[event] for event in EVENTS) and done.compared > 2 * MOMENTS
    assert replace(done, seconds=0) == replace(soak_twins("strict"), seconds=0)


def test_a_difference_is_told():
    with pytest.raises(Drift, match="the state at step"):
        soak_twins("fused")
