"""Functions of float32 numbers as onnxruntime computes them, for tables.

Sigmoid and Tanh are the rational approximations of its library MLAS, with fused multiply-adds. All
other functions are those of ONNX's reference implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx_ir as ir

from ..fold_constants import run_reference

F32 = np.float32
#: Numerator and denominator in x^2, highest power first.
SIGMOID = (
    (4.37031012579801e-11, 1.15627324459942e-07, 6.08574864600143e-05, 8.51377133304701e-03, 2.48287947061529e-01),
    (6.10247389755681e-13, 5.76102136993427e-09, 6.29106785017040e-06, 1.70198817374094e-03, 1.16817656904453e-01,
     9.93151921023180e-01),
)  # fmt: skip
TANH = (
    (-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08, 1.48572235717979e-05,
     6.37261928875436e-04, 4.89352455891786e-03),
    (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03),
)  # fmt: skip
#: Beyond these numbers the functions are constant.
SIGMOID_RANGE, TANH_RANGE = 18.0, 9.0


def polynomial(coefficients: Sequence[float], z: np.ndarray) -> np.ndarray:
    """Return the value in Horner's form, each step rounded once to float32."""
    value = np.full(z.shape, F32(coefficients[0]))
    for coefficient in coefficients[1:]:
        # The product of two float32 numbers is exact in float64.
        value = (value.astype(np.float64) * z + np.float64(F32(coefficient))).astype(F32)
    return value


def ratio(x: np.ndarray, fraction: tuple[Sequence[float], Sequence[float]], most: float) -> np.ndarray:
    """Return x p(x^2) / q(x^2), with x clamped to -most .. most."""
    x = np.clip(x, F32(-most), F32(most))
    square = x * x
    return x * polynomial(fraction[0], square) / polynomial(fraction[1], square)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-x))."""
    return np.clip(ratio(x, SIGMOID, SIGMOID_RANGE) + F32(0.5), F32(0), F32(1))


def tanh(x: np.ndarray) -> np.ndarray:
    """Return the hyperbolic tangent."""
    return ratio(x, TANH, TANH_RANGE)


FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"Sigmoid": sigmoid, "Tanh": tanh}


def evaluate(graph: ir.Graph, node: ir.Node, inputs: Sequence[np.ndarray | None]) -> np.ndarray | None:
    """Return the output of a node for these inputs, or None if nothing here computes it."""
    if node.op_type in FUNCTIONS and inputs[0] is not None:
        return FUNCTIONS[node.op_type](inputs[0])
    named = {v.name: a for v, a in zip(node.inputs, inputs, strict=True) if v is not None and a is not None}
    made = run_reference(graph, node, named)
    return made[0].astype(F32) if made is not None and len(made) == 1 else None
