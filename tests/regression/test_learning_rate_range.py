"""A learning rate or clipping norm that is not a positive finite number went into the image unnoticed."""

import pytest

from gradmote import optimizers
from gradmote.errors import ModelError


@pytest.mark.parametrize("name", optimizers.OPTIMIZERS)
@pytest.mark.parametrize(
    "given",
    [
        {"learning_rate": float("nan")},
        {"learning_rate": -1e-3},
        {"learning_rate": float("inf")},
        {"learning_rate": 1e39},
        {"clip_norm": 0.0},
        {"clip_value": 0.0},
        {"clip_value": -1.0},
        {"clip_value": float("nan")},
        {"clip_value": float("inf")},
        {"clip_norm": 1.0, "clip_value": 1.0},
        {"clip_norm": -1.0},
        {"clip_norm": float("nan")},
    ],
    ids=str,
)
def test_rates_and_norms_are_checked(name, given):
    with pytest.raises(ModelError, match=next(iter(given))):
        optimizers.OPTIMIZERS[name](**given)
