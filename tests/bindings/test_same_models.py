"""Every model of bindings.models reaches the twin's state in node, in Chromium, in a worker, and on a Cortex-M3."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable

from bindings import same_models
from bindings.models import Model, models
from support import npm_package
from support.firmware import build_firmware

#: All models make as many steps as `python -m bindings.same_models` in the long form.
LONG = bool(os.environ.get("GRADMOTE_SAME_MODELS"))
FEW = 3


def steps_of(chosen: Iterable[Model]) -> dict[Model, int]:
    """Return how many steps each model makes: those that take seconds make few."""
    return {model: FEW if model.large and not LONG else same_models.STEPS for model in chosen}


def test_the_web_reaches_the_twins_states() -> None:
    npm_package.require()
    steps = steps_of(models())
    images = same_models.compiled(steps)
    columns = dict(same_models.in_node(same_models.write_models(images, steps)))
    if shutil.which("chromium"):
        columns |= dict(same_models.in_chromium())
    expected = same_models.of_twin(images, steps)
    assert all(found.keys() == expected.keys() for found in columns.values())
    assert same_models.differing(expected, columns) == []


def test_a_board_reaches_the_twins_states() -> None:
    build_firmware(board=same_models.BOARD)
    steps = steps_of(model for model in models() if model.on_board)
    images = same_models.compiled(steps)
    assert len(images) == 3
    assert (
        same_models.differing(same_models.of_twin(images, steps), {"board": same_models.on_board(images, steps)}) == []
    )
