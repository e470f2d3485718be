"""Graphs of any number of nodes, for work that should grow no faster than they do: a chain, a chain with shortcuts,
and many branches from one input."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx

from support.oracle import make_model, node

WIDTH = 8


class Layers:
    """Appends nodes and weights."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, np.ndarray] = {}
        self.rng = np.random.default_rng(0)

    def op(self, op_type: str, inputs: str) -> str:
        """Append a node, and return the name of its output."""
        name = f"v{len(self.nodes)}"
        self.nodes.append(node(op_type, inputs, name))
        return name

    def dense(self, x: str) -> str:
        """Append three nodes, as exporters write a layer: a product, a bias and Relu."""
        k = len(self.weights)
        self.weights[f"w{k}"] = 0.1 * self.rng.standard_normal((WIDTH, WIDTH)).astype(np.float32)
        self.weights[f"b{k}"] = 0.1 * self.rng.standard_normal(WIDTH).astype(np.float32)
        return self.op("Relu", self.op("Add", f"{self.op('MatMul', f'{x} w{k}')} b{k}"))

    def model(self) -> onnx.ModelProto:
        """Return the model, whose output is the last node's."""
        return make_model(self.nodes, self.weights, {"x": ("N", WIDTH)}, outputs=[self.nodes[-1].output[0]])


def chain(nodes: int) -> onnx.ModelProto:
    """Return layers one after another."""
    layers, y = Layers(), "x"
    while len(layers.nodes) < nodes:
        y = layers.dense(y)
    return layers.model()


def residual(nodes: int) -> onnx.ModelProto:
    """Return layers one after another, each with a shortcut around it."""
    layers, y = Layers(), "x"
    while len(layers.nodes) < nodes:
        y = layers.op("Add", f"{y} {layers.dense(y)}")
    return layers.model()


def fan_out(nodes: int) -> onnx.ModelProto:
    """Return parallel layers, whose results are summed."""
    layers = Layers()
    y = layers.dense("x")
    while len(layers.nodes) < nodes:
        y = layers.op("Add", f"{y} {layers.dense('x')}")
    return layers.model()


GRAPHS: dict[str, Callable[[int], onnx.ModelProto]] = {"chain": chain, "residual": residual, "fan-out": fan_out}
