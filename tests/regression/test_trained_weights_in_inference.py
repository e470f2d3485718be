"""A constant expression over trained weights was folded in the inference program, which then never saw an update."""

import numpy as np

from support.oracle import Case, check_case, make_model, node


def test_inference_reads_transposed_weights_after_the_update():
    weights = np.arange(6, dtype=np.float32).reshape(2, 3)
    model = make_model([node("Transpose", "w", "wt"), node("MatMul", "x wt", "y")], {"w": weights}, {"x": (1, 3)})
    check_case(Case(model, {"x": np.array([[0.5, -1.0, 2.0]], np.float32)}))
