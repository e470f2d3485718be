"""Cuts a quantized network into its layers, and compares each with onnxruntime on the integers that it has there.

A layer is what is between DequantizeLinear and QuantizeLinear. It is compared alone, so that one rounding that
differs does not make all that follows differ too.

onnxruntime without optimizations adds float32 products, while an integer sum is exact. If the exact result is so close
to the middle of two integers that the error of its sum takes it across, onnxruntime gives the other one. Such results
are counted apart; how close they are is computed in float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote_runtime import Session
from support.quantized import reference

#: The largest distance of the exact result of such a sum from the middle of two integers.
TIE = 1e-4
PRODUCTS = {"Conv", "Gemm"}


@dataclass
class Count:
    """compared: integers. near: those that differ, and are close to the middle. differ: the others that differ."""

    compared: int = 0
    near: int = 0
    differ: int = 0

    def add(self, other: Count) -> None:
        self.compared += other.compared
        self.near += other.near
        self.differ += other.differ


@dataclass
class Layer:
    """Nodes from some DequantizeLinear of activations to one QuantizeLinear. starts: the former."""

    end: onnx.NodeProto
    starts: list[onnx.NodeProto] = field(default_factory=list)
    body: list[onnx.NodeProto] = field(default_factory=list)

    @property
    def operator(self) -> str:
        found = {node.op_type for node in self.body} - {"DequantizeLinear", "Relu", "Clip"}
        return " and ".join(sorted(found)) or "QuantizeLinear"


class Network:
    """A quantized network, with what onnxruntime makes of every quantized value in it."""

    def __init__(self, model: onnx.ModelProto, batch: int) -> None:
        self.model = with_quantized_weights(model)
        self.batch = batch
        model = self.model
        self.constants = {tensor.name: tensor for tensor in model.graph.initializer}
        self.producers = {output: node for node in model.graph.node for output in node.output}
        self.ends = [n for n in model.graph.node if n.op_type == "QuantizeLinear" and n.input[0] in self.producers]
        self.values = self.quantized_values()

    def quantized_values(self) -> dict[str, np.ndarray]:
        """Return all integers that are made or dequantized, for a batch of noise."""
        feeds, types = reference.noise(self.model, self.batch), dict[str, int]()
        for node in self.model.graph.node:
            if node.op_type in ("QuantizeLinear", "DequantizeLinear"):
                name = node.output[0] if node.op_type == "QuantizeLinear" else node.input[0]
                if name not in self.constants and name not in feeds:
                    types[name] = self.constants[node.input[2]].data_type
        shown = onnx.ModelProto()
        shown.CopyFrom(self.model)
        del shown.graph.output[:]
        shown.graph.output.extend(helper.make_tensor_value_info(name, dtype, None) for name, dtype in types.items())
        return {**feeds, **dict(zip(types, reference.infer(shown, feeds), strict=True))}

    def layers(self) -> Iterator[Layer]:
        return map(self.layer, self.ends)

    def layer(self, end: onnx.NodeProto) -> Layer:
        found, queue = Layer(end), list(end.input)
        while queue:
            node = self.producers.get(queue.pop())
            if node is None or node in (*found.starts, *found.body):
                continue
            if node.op_type == "DequantizeLinear" and node.input[0] in self.values:
                found.starts.append(node)
            else:
                found.body.append(node)
                queue += node.input
        return found

    def cut(self, layer: Layer) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
        """Return the layer as a model of its own, and its inputs: float numbers that stand for integers exactly."""
        nodes, inputs, feeds = [], [], {}
        for start in layer.starts:
            name = f"real {start.output[0]}"
            feeds[name] = self.real(start)
            inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *feeds[name].shape[1:]]))
            again = f"again {start.output[0]}"
            nodes.append(helper.make_node("QuantizeLinear", [name, *start.input[1:]], [again]))
            nodes.append(helper.make_node("DequantizeLinear", [again, *start.input[1:]], start.output))
        nodes += [node for node in self.model.graph.node if node in layer.body]
        nodes.append(layer.end)
        nodes.append(helper.make_node("DequantizeLinear", [layer.end.output[0], *layer.end.input[1:]], ["result"]))
        used = {name for node in nodes for name in node.input}
        constants = [tensor for name, tensor in self.constants.items() if name in used]
        shape = ["N", *self.values[layer.end.output[0]].shape[1:]]
        output = helper.make_tensor_value_info("result", TensorProto.FLOAT, shape)
        graph = helper.make_graph(nodes, "layer", inputs, [output], constants)
        opsets, version = self.model.opset_import, self.model.ir_version
        return helper.make_model(graph, opset_imports=opsets, ir_version=version), feeds

    def real(self, start: onnx.NodeProto) -> np.ndarray:
        scale, zero = self.scale(start)
        return (self.values[start.input[0]].astype(np.float32) - zero) * scale

    def scale(self, node: onnx.NodeProto) -> tuple[np.float32, np.float32]:
        """Return scale and zero point of a whole tensor."""
        scale, zero = (numpy_helper.to_array(self.constants[name]) for name in node.input[1:3])
        return np.float32(scale.item()), np.float32(zero.item())

    def compare(self, layer: Layer) -> Count:
        model, feeds = self.cut(layer)
        scale, zero = self.scale(layer.end)
        with Session(compile_image(build_artifacts(model), Options(batch=self.batch)).image) as session:
            found = np.rint(np.array(session.infer(*feeds.values())[0]) / scale) + zero
        expected = self.values[layer.end.output[0]]
        other = found != expected.reshape(found.shape)
        near = other & self.near_the_middle(layer, model, feeds) if other.any() else other
        return Count(other.size, int(near.sum()), int((other & ~near).sum()))

    def near_the_middle(self, layer: Layer, model: onnx.ModelProto, feeds: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return a mask: whether the exact result of a sum of products is close to the middle of two integers."""
        node = next((node for node in layer.body if node.op_type in PRODUCTS), None)
        if node is None or layer.operator not in PRODUCTS:
            return np.array(False)
        x, w, b = (self.exact(name) for name in node.input)
        steps = products(node, x, w, b) / np.float64(self.scale(layer.end)[0])
        return np.abs(np.abs(steps - np.floor(steps)) - 0.5) < TIE

    def exact(self, name: str) -> np.ndarray:
        """Return a dequantized value, or a float constant, in float64."""
        if name in self.constants:
            return numpy_helper.to_array(self.constants[name]).astype(np.float64)
        node = self.producers[name]
        integers = self.values.get(node.input[0])
        if integers is None:
            integers = numpy_helper.to_array(self.constants[node.input[0]])
        scale, zero = (numpy_helper.to_array(self.constants[n]).astype(np.float64) for n in node.input[1:3])
        axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
        shape = [-1 if i == axis % integers.ndim else 1 for i in range(integers.ndim)] if scale.size > 1 else []
        return (integers - zero.reshape(shape)) * scale.reshape(shape)


def with_quantized_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with constants of integers in the place of a QuantizeLinear of float constants."""
    made, constants = onnx.ModelProto(), {tensor.name: tensor for tensor in model.graph.initializer}
    made.CopyFrom(model)
    for node in model.graph.node:
        if node.op_type == "QuantizeLinear" and node.input[0] in constants:
            used = [constants[name] for name in node.input]
            output = helper.make_tensor_value_info(node.output[0], used[2].data_type, None)
            graph = helper.make_graph([node], "weight", [], [output], used)
            alone = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
            made.graph.initializer.append(numpy_helper.from_array(reference.infer(alone, {})[0], node.output[0]))
            made.graph.node.remove(node)
    return made


def products(node: onnx.NodeProto, x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the result of a Conv or Gemm in float64."""
    import torch

    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "Gemm":
        return x @ (w.T if attributes.get("transB") else w) + b
    tensors = [torch.from_numpy(np.ascontiguousarray(t)) for t in (x, w, b)]
    pads = attributes.get("pads", [0] * 4)
    tensors[0] = torch.nn.functional.pad(tensors[0], (pads[1], pads[3], pads[0], pads[2]))
    return torch.nn.functional.conv2d(*tensors, attributes.get("strides", 1), groups=attributes.get("group", 1)).numpy()


def by_operator(model: onnx.ModelProto, batch: int = 2) -> dict[str, Count]:
    """Return how much of each operator's results was compared, and differs."""
    network, counts = Network(model, batch), dict[str, Count]()
    for layer in network.layers():
        counts.setdefault(layer.operator, Count()).add(network.compare(layer))
    return counts
