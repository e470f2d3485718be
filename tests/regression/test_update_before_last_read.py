"""A GEMM that makes one weight's gradient from another weight was moved after that other weight's update."""

import numpy as np

from support.oracle import Case, check_case, make_model, node


def test_weights_multiplied_with_each_other():
    rng = np.random.default_rng(1)
    weights = {"down": rng.normal(size=(3, 2)).astype(np.float32), "up": rng.normal(size=(2, 4)).astype(np.float32)}
    model = make_model([node("MatMul", "down up", "w"), node("MatMul", "x w", "y")], weights, {"x": (2, 3)})
    check_case(Case(model, {"x": rng.normal(size=(2, 3)).astype(np.float32)}, batch=2))
