"""A name or a factory instead of an optimizer ended in an AttributeError from inside, and an optimizer without a loss
in an image that only infers. Of a target without a model the error listed no programs."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import Session, compile_model, losses, open_target, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.data import Dataset
from gradmote.device import fit
from gradmote.errors import DataError, DeviceError, ModelError
from support.oracle import make_model, node, values

MODEL = make_model([node("MatMul", "x w", "y")], {"w": values(1, 4, 3)}, {"x": ("N", 4)})

WRONG = {
    "a name": ("adam", r"the optimizer is 'adam', of type str - pass one of gradmote.optimizers"),
    "what makes one": (optimizers.adam, "the optimizer is adam, of type function - pass one of gradmote.optimizers"),
    "a number": (0.1, "the optimizer is 0.1, of type float - pass one of gradmote.optimizers"),
}


@pytest.mark.parametrize("name", WRONG)
def test_it_is_said_what_is_wrong(name: str) -> None:
    thing, message = WRONG[name]
    for make in (compile_model, build_artifacts):
        with pytest.raises(ModelError, match=message):
            make(MODEL, loss=losses.mse(), optimizer=thing)  # type: ignore[operator]


def test_an_optimizer_needs_a_loss() -> None:
    with pytest.raises(ModelError, match="an optimizer without a loss"):
        compile_model(MODEL, optimizer=optimizers.sgd(0.1))
    assert compile_model(MODEL).image


def test_a_target_needs_a_model() -> None:
    x = np.zeros((4, 4), np.float32)
    with open_target("twin") as target, pytest.raises(DeviceError, match="there is no model to train - load one first"):
        fit(target, Dataset(x, x), epochs=1)


def test_a_result_has_an_image() -> None:
    with pytest.raises(DataError, match="not Result - pass its bytes: .image"):
        Session(compile_model(MODEL))  # type: ignore[arg-type]
