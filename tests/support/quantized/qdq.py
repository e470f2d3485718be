"""Writes graphs of QuantizeLinear and DequantizeLinear: each operator takes dequantized values, and its result is
quantized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 18, 10


@dataclass(frozen=True)
class Scale:
    """The quantization by which an integer q represents the float (q - zero) * scale."""

    scale: float
    zero: int


@dataclass(frozen=True)
class Quantized:
    """A quantized value of a graph. name: of the integers; real: of the float values after DequantizeLinear."""

    name: str
    real: str
    of: Scale


class QdqWriter:
    """Appends nodes and weights to an ONNX graph. dtype: of activations, np.int8 or np.uint8."""

    def __init__(self, dtype: type[np.integer] = np.int8) -> None:
        self.dtype = dtype
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def node(self, op_type: str, inputs: Sequence[str], name: str, **attributes: object) -> str:
        """Append a node, and return the name of its output."""
        self.nodes.append(helper.make_node(op_type, inputs, [f"{name}_output"], name, **attributes))
        return f"{name}_output"

    def weight(self, name: str, values: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def scaled(self, name: str, of: Scale) -> list[str]:
        """Return the names of two new constants for a scale."""
        scale = self.weight(f"{name}_scale", np.float32(of.scale))
        return [scale, self.weight(f"{name}_zero_point", self.dtype(of.zero))]

    def quantize(self, name: str, value: str, of: Scale) -> Quantized:
        constants = self.scaled(name, of)
        return self.dequantize(name, self.node("QuantizeLinear", [value, *constants], f"{name}_quantize"), of)

    def dequantize(self, name: str, value: str, of: Scale) -> Quantized:
        """Return a value that already is integers, with its float form."""
        constants = [f"{name}_scale", f"{name}_zero_point"]
        if not any(w.name == constants[0] for w in self.weights):
            self.scaled(name, of)
        return Quantized(value, self.node("DequantizeLinear", [value, *constants], f"{name}_dequantize"), of)

    def quantized_weight(self, name: str, values: np.ndarray, scales: np.ndarray) -> str:
        """Return the float form of a constant: int8 or int32, a scale for each output channel."""
        zeros = self.weight(f"{name}_zero_point", np.zeros(scales.shape, values.dtype))
        constants = [self.weight(name, values), self.weight(f"{name}_scale", scales.astype(np.float32)), zeros]
        return self.node("DequantizeLinear", constants, f"{name}_dequantize", axis=0)

    def model(self, x: onnx.ValueInfoProto, y: str) -> onnx.ModelProto:
        """Return the graph with input x and output y, checked."""
        output = helper.make_tensor_value_info(y, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "network", [x], [output], self.weights)
        opsets = [helper.make_opsetid("", OPSET)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        return onnx.shape_inference.infer_shapes(made, strict_mode=True)
