"""LRN, which becomes an average over channels and a power."""

import numpy as np
import pytest

from gradmote import onnx_backend
from support.naive_normalizations import lrn
from support.oracle import check_against_differences, make_model, node, run_ort, values


def naive_lrn(x: np.ndarray, size: int) -> np.ndarray:
    """Compute it in float64, as ONNX defines it and onnxruntime does; onnx.reference gives other numbers."""
    return lrn(x.astype(np.float64), size, 0.5, 0.6, 1.5)


@pytest.mark.parametrize(
    "size, shape", [(1, (2, 3)), (2, (2, 4, 3)), (3, (2, 5, 2, 2)), (5, (1, 3, 2, 2)), (4, (1, 6, 1, 2, 2))]
)
def test_lrn(size, shape):
    nodes = [node("Mul", "x w", "h"), node("LRN", "h", "y", size=size, alpha=0.5, beta=0.6, bias=1.5)]
    proto = make_model(nodes, {"w": values(1, *shape)}, {"x": shape})
    x = values(2, *shape)
    (y,) = onnx_backend.run_model(proto, [x])
    np.testing.assert_allclose(y, naive_lrn(x * values(1, *shape), size), rtol=2e-5)
    if len(shape) == 4:
        np.testing.assert_allclose(y, run_ort(proto, {"x": x})["y"], rtol=2e-5)
    factors = values(3, *shape)

    def loss(parameters):
        return float((naive_lrn(x * parameters["w"], size) * factors).sum())

    check_against_differences(proto, {"x": x}, factors, ["w"], loss)


def test_lrn_of_any_batch():
    proto = make_model([node("LRN", "x", "y", size=3)], {}, {"x": ("N", 4, 3, 3)})
    x = values(2, 3, 4, 3, 3)
    np.testing.assert_allclose(onnx_backend.run_model(proto, [x])[0], run_ort(proto, {"x": x})["y"], rtol=1e-5)
