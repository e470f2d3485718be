"""OK means a finite state on a board too, with the twin's bits: from forged checkpoints, with data of any size."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.target import Target
from gradmote.errors import RuntimeFault
from support.finite_state import BATCH, forged, image_of, is_finite, magnitudes, size_of
from support.sampling import draws

pytestmark = pytest.mark.device

#: Of each model; many more each night.
DRAWS = draws("finite_draws")
MODELS = [("perceptron", "adam", False), ("normalized", "nesterov_decay", False), ("convolutions", "clipped", True)]


def test_a_step_that_succeeds_leaves_a_finite_state(emulator):
    with BoardTarget(emulator.connect()) as board, TwinTarget("strict") as twin:
        for network, rule, accumulate in MODELS:
            image = image_of(network, rule, accumulate)
            for target in (board, twin):
                target.load_image(image)
            found = [follow(draw, image, size_of(network), twin, board) for draw in range(DRAWS)]
            assert {"OK", "NOT_FINITE"} <= set(found)


def follow(draw: int, image: bytes, size: int, twin: Target, board: Target) -> str:
    """Return how a step from one state with one batch ended, "OK" or an error's name, which must be alike on both."""
    rng = np.random.default_rng(draw)
    twin.reset()
    checkpoint = twin.save() if draw % 2 else forged(twin.save(), image, rng)
    x = magnitudes(rng, size) if draw % 2 else rng.normal(size=size).astype(np.float32)
    codes = [attempt(target, checkpoint, x) for target in (twin, board)]
    assert codes[0] == codes[1] and twin.state() == board.state(), draw
    assert codes[0] != "OK" or is_finite(board.state(), image), draw
    return codes[0]


def attempt(target: Target, checkpoint: bytes, x: np.ndarray) -> str:
    target.load(checkpoint)
    target.write("input", 0, x)
    target.write("label", 0, np.arange(BATCH, dtype=np.int32))
    try:
        for program in ("step",) if "step" in target.info().programs else ("train", "optimizer"):
            target.run(program)
    except RuntimeFault as fault:
        return fault.name
    return "OK"
