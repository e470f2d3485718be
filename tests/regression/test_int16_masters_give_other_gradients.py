"""In a model with int16 master weights, the gradient of x was made of both bytes of a weight, not of its high byte
alone."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import compile_model, losses, optimizers
from gradmote.compiler import Options
from gradmote_runtime import Session
from support.quantized import exported, reference

BATCH = 4


def gradients(name: str, weights: str, kind: str) -> dict[str, np.ndarray]:
    """Return all gradients of the first step."""
    model = exported.network(name)
    options = Options(batch=BATCH, accumulate=True, weights=weights, gradients=kind)
    image = compile_model(model, losses.cross_entropy(), optimizers.sgd(0.1), options).image
    with Session(image) as session:
        session.train_step(*reference.noise(model, BATCH).values(), np.arange(BATCH, dtype=np.int32) % 3)
        return {n: np.array(session.gradient(n)) for n in session.parameter_names()}


@pytest.mark.parametrize("kind", ["float", "int16"])
@pytest.mark.parametrize("name", [n for n in exported.NAMES if "int8_per_channel" in n or "float32" in n])
def test_gradients_are_those_of_int8_weights(name: str, kind: str) -> None:
    found, expected = gradients(name, "int16", kind), gradients(name, "int8", kind)
    assert found.keys() == expected.keys()
    for parameter, gradient in expected.items():
        np.testing.assert_array_equal(found[parameter], gradient, err_msg=parameter)
