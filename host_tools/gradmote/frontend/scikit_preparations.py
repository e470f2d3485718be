"""scikit-learn's preparations of samples, as skl2onnx writes them: Scaler, Normalizer and Imputer of ai.onnx.ml.

Each becomes standard operators with constants that do not train:

    Scaler       y = (x - offset) scale
    Normalizer   y = x / n, with n of a row the sum of |x| (L1), the root of the sum of x^2 (L2) or max x (MAX)
    Imputer      y = imputed if x is replaced_value, which may be NaN, else x
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import Builder, attribute, describe, sort_nodes, take_over
from .linear import ML


def expand_preparations(graph: ir.Graph) -> None:
    """Replace the preparations of a graph with standard operators. Raises UnsupportedOperator if x is not float32."""
    for node in list(graph):
        if node.domain == ML and node.op_type in EXPANDED:
            x = node.inputs[0]
            if x is None or x.dtype not in (None, ir.DataType.FLOAT):
                raise refused(node, f"of {x.dtype if x else 'nothing'}", "feed the model float32")
            take_over(graph, node.outputs[0], EXPANDED[node.op_type](Expansion(graph, node), x))
    sort_nodes(graph)
    if all(node.domain != ML for node in graph):
        graph.opset_imports.pop(ML, None)


def refused(node: ir.Node, what: str, hint: str) -> UnsupportedOperator:
    """Return the error for a node."""
    return UnsupportedOperator(f"{node.op_type} {what}", hint, describe(node))


class Expansion:
    """The nodes that replace one node."""

    def __init__(self, graph: ir.Graph, node: ir.Node) -> None:
        """Append to the graph."""
        self.builder, self.node, self.name = Builder(graph), node, str(node.outputs[0].name)
        self.opset = graph.opset_imports.setdefault("", 17)

    def op(self, op_type: str, *inputs: ir.Value, **attributes: Any) -> ir.Value:
        """Append a node, and return its output."""
        return self.builder.op(op_type, *inputs, name=f"{self.name}.{op_type.lower()}", **attributes)

    def floats(self, name: str, default: float) -> ir.Value:
        """Return an attribute with floats as a constant."""
        return self.constant(np.asarray(attribute(self.node, name, [default]), np.float32), name)

    def constant(self, data: np.ndarray, name: str) -> ir.Value:
        """Return a constant."""
        return self.builder.constant(data, f"{self.name}.{name}")

    def last(self) -> ir.Value:
        """Return the last axis as a constant."""
        return self.constant(np.array([-1], np.int64), "axis")

    def scaler(self, x: ir.Value) -> ir.Value:
        """Return (x - offset) scale."""
        return self.op("Mul", self.op("Sub", x, self.floats("offset", 0.0)), self.floats("scale", 1.0))

    def normalizer(self, x: ir.Value) -> ir.Value:
        """Return x / n. After a Softmax, whose rows have a sum of 1, L1 changes nothing."""
        norm, made_by = attribute(self.node, "norm", "MAX"), x.producer()
        if norm == "L1" and made_by is not None and made_by.op_type == "Softmax":
            return self.op("Identity", x)
        size = {"L1": self.l1, "L2": self.l2, "MAX": self.largest}[norm](x)
        is_zero = self.op("Cast", self.op("Equal", size, self.constant(np.zeros(1, np.float32), "zero")), to=1)
        return self.op("Div", x, self.op("Add", size, is_zero))

    def l1(self, x: ir.Value) -> ir.Value:
        """Return the sum of the magnitudes of each row."""
        return self.op("ReduceSum", self.op("Abs", x), self.last(), keepdims=1)

    def l2(self, x: ir.Value) -> ir.Value:
        """Return the root of the sum of the squares of each row."""
        return self.op("Sqrt", self.op("ReduceSum", self.op("Mul", x, x), self.last(), keepdims=1))

    def largest(self, x: ir.Value) -> ir.Value:
        """Return the largest number of each row."""
        if self.opset < 18:
            return self.op("ReduceMax", x, axes=[-1], keepdims=1)
        return self.op("ReduceMax", x, self.last(), keepdims=1)

    def imputer(self, x: ir.Value) -> ir.Value:
        """Return x with imputed numbers instead of those that are missing."""
        if attribute(self.node, "imputed_value_floats") is None:
            raise refused(self.node, "of integers", "feed the model float32")
        missing = np.float32(attribute(self.node, "replaced_value_float", 0.0))
        imputed = self.floats("imputed_value_floats", 0.0)
        if np.isnan(missing):
            return self.op("Where", self.op("Equal", x, x), x, imputed)
        return self.op("Where", self.op("Equal", x, self.constant(missing.reshape(1), "missing")), imputed, x)


EXPANDED: dict[str, Callable[[Expansion, ir.Value], ir.Value]] = {
    "Scaler": Expansion.scaler,
    "Normalizer": Expansion.normalizer,
    "Imputer": Expansion.imputer,
}
