"""x[:, :3] from PyTorch's newer exporter slices the batch too, from 0 to the end: it was refused if the batch is
symbolic."""

import numpy as np

from support.oracle import Case, check_case, make_model, node, values


def test_slice_along_a_symbolic_batch():
    whole = {"zero": [0], "end": [2**63 - 1], "batch": [0], "one": [1]}
    first = {"three": [3], "features": [1]}
    arrays = {"w": values(1, 4, 5)} | {n: np.array(v, np.int64) for n, v in (whole | first).items()}
    nodes = [
        node("MatMul", "x w", "h"),
        node("Slice", "h zero end batch one", "s"),
        node("Slice", "s zero three features one", "y"),
    ]
    check_case(Case(make_model(nodes, arrays, {"x": ("N", 4)}), {"x": values(2, 3, 4)}, train=["w"], batch=3))
