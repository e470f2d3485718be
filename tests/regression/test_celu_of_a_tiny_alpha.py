"""Celu divides by alpha: the inverse of a subnormal alpha is infinite as float32, and Celu of 0 was NaN."""

import numpy as np
import pytest

from gradmote import Session
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import UnsupportedOperator
from support.oracle import make_model, node


def image_of(op_type: str, **attributes: float) -> bytes:
    model = make_model([node(op_type, "x", "y", **attributes)], {}, {"x": (1, 3)}, opset=18)
    return compile_image(build_artifacts(model), Options()).image


@pytest.mark.parametrize(
    ("op_type", "attributes"),
    [("Celu", {"alpha": 1e-39}), ("Celu", {"alpha": 1e-45}), ("Selu", {"alpha": 1e30, "gamma": 1e30})],
)
def test_constants_that_float32_cannot_hold_are_refused(op_type, attributes):
    with pytest.raises(UnsupportedOperator, match="whose constants exceed float32"):
        image_of(op_type, **attributes)


@pytest.mark.parametrize("alpha", [3e-39, 1.2e-38, 1e-30, 1e38])
def test_others_are_zero_at_zero(alpha, profile):
    with Session(image_of("Celu", alpha=alpha), profile) as session:
        assert np.array(session.infer(np.zeros((1, 3), np.float32))[0]).tolist() == [[0.0, 0.0, 0.0]]
