"""A constant that holds a number as low as those of masks is not a weight by default, but `train` may name it. It was
folded before the names were looked at."""

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.errors import ModelError
from support.oracle import make_model, node

MODEL = make_model([node("Atan", "w", "y")], {"w": np.array([-3e38, 1, 2], np.float32)})


@pytest.mark.parametrize("chosen", [{"train": ["w"]}, {"scheme": "named:w"}])
def test_a_constant_that_is_named_trains(chosen):
    made = build_artifacts(MODEL, loss=losses.mse(), optimizer=optimizers.sgd(0.1), **chosen)
    assert list(made.parameters) == ["w"]


def test_by_default_it_does_not():
    with pytest.raises(ModelError, match="no parameter is left"):
        build_artifacts(MODEL, loss=losses.mse(), optimizer=optimizers.sgd(0.1))
