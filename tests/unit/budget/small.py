"""A small network whose layers are worth a search: three convolutions that keep their size, and a head."""

import numpy as np

from support.oracle import make_model, node, values

CLASSES = 3


def network():
    nodes = [
        node("Conv", "x w1 b1", "c1", pads=[1, 1, 1, 1]),
        node("Relu", "c1", "r1"),
        node("Conv", "r1 w2 b2", "c2", pads=[1, 1, 1, 1]),
        node("Relu", "c2", "r2"),
        node("Conv", "r2 w3 b3", "c3", pads=[1, 1, 1, 1]),
        node("Relu", "c3", "r3"),
        node("GlobalAveragePool", "r3", "p"),
        node("Flatten", "p", "f"),
        node("Gemm", "f w4 b4", "y", transB=1),
    ]
    weights = {f"w{i}": 0.3 * values(i, 8, 8 if i > 1 else 1, 3, 3) for i in (1, 2, 3)}
    weights |= {f"b{i}": np.zeros(8, np.float32) for i in (1, 2, 3)}
    weights |= {"w4": values(4, CLASSES, 8), "b4": np.zeros(CLASSES, np.float32)}
    return make_model(nodes, weights, {"x": ("N", 1, 12, 12)})
