"""A model with NaN among its weights compiled, and every step was skipped."""

from __future__ import annotations

import numpy as np
import pytest

from gradmote import compile_model, losses, optimizers
from gradmote.errors import ModelError
from support.oracle import make_model, node, values


def model(weight: np.ndarray):
    return make_model([node("Gemm", "x w b", "y")], {"w": weight, "b": values(2, 8)}, {"x": (4, 16)})


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_weights_that_train_are_finite(number):
    weight = values(1, 16, 8)
    weight[3, 4] = weight[5, 6] = number
    with pytest.raises(ModelError, match=r"'w' trains, but 2 of its 128 numbers are NaN or infinite, .* \[3, 4\]"):
        compile_model(model(weight), losses.mse(), optimizers.sgd(), batch=None)


def test_what_does_not_train_may_be_infinite():
    """Masks are."""
    weight = values(1, 16, 8)
    weight[3, 4] = -np.inf
    assert compile_model(model(weight), losses.mse(), optimizers.sgd(), batch=None, train=["b"]).image
