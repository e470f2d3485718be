"""Two parameters with one gradient: accumulating it for the first took its only copy from the second."""

import numpy as np

from support.oracle import Case, check_case, make_model, node


def test_sum_of_two_weights():
    rng = np.random.default_rng(2)
    weights = {"a": rng.normal(size=(3, 2)).astype(np.float32), "b": rng.normal(size=(3, 2)).astype(np.float32)}
    model = make_model([node("Add", "a b", "w"), node("MatMul", "x w", "y")], weights, {"x": (2, 3)})
    check_case(Case(model, {"x": rng.normal(size=(2, 3)).astype(np.float32)}, batch=2))
