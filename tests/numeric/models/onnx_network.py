"""The networks of networks.py as someone would write them with onnx.helper: one node a layer, weights by their names in
PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import onnx
import torch
from numeric.models.networks import InvertedResidual, Residual
from onnx import TensorProto, helper, numpy_helper
from torch import nn


class Writer:
    """Appends nodes and weights to an ONNX graph."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def node(self, op_type: str, *inputs: str, **attributes: object) -> str:
        """The name of its output."""
        name = f"{op_type}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, inputs, [name], name, **attributes))
        return name

    def weight(self, name: str, tensor: torch.Tensor | float) -> str:
        array = torch.as_tensor(tensor).detach().numpy()
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def own(self, path: str, layer: nn.Module, *names: str) -> list[str]:
        """Return the layer's tensors of these names, without those that it lacks."""
        return [self.weight(path + n, t) for n in names if (t := getattr(layer, n)) is not None]

    def write(self, path: str, layer: nn.Module, x: str) -> str:
        return RULES[type(layer)](self, path, layer, x)


def sequential(w: Writer, path: str, layers: nn.Sequential, x: str) -> str:
    for name, layer in layers.named_children():
        x = w.write(f"{path}{name}.", layer, x)
    return x


def conv(w: Writer, path: str, c: nn.Conv2d, x: str) -> str:
    pads = [*c.padding, *c.padding]
    tensors = w.own(path, c, "weight", "bias")
    return w.node("Conv", x, *tensors, kernel_shape=c.kernel_size, strides=c.stride, pads=pads, group=c.groups)


def linear(w: Writer, path: str, layer: nn.Linear, x: str) -> str:
    return w.node("Gemm", x, *w.own(path, layer, "weight", "bias"), transB=1)


def batch_norm(w: Writer, path: str, b: nn.Module, x: str) -> str:
    tensors = w.own(path, b, "weight", "bias", "running_mean", "running_var")
    return w.node("BatchNormalization", x, *tensors, epsilon=b.eps)


def relu6(w: Writer, path: str, _: nn.Module, x: str) -> str:
    return w.node("Clip", x, w.weight(f"{path}low", 0.0), w.weight(f"{path}high", 6.0))


def pool(op_type: str) -> Callable[[Writer, str, nn.Module, str], str]:
    def write(w: Writer, path: str, layer: nn.Module, x: str) -> str:
        return w.node(op_type, x, kernel_shape=[layer.kernel_size] * 2, strides=[layer.stride] * 2)

    return write


def residual(w: Writer, path: str, block: Residual, x: str) -> str:
    body, shortcut = w.write(f"{path}body.", block.body, x), w.write(f"{path}shortcut.", block.shortcut, x)
    return w.node("Relu", w.node("Add", body, shortcut))


def inverted_residual(w: Writer, path: str, block: InvertedResidual, x: str) -> str:
    body = w.write(f"{path}body.", block.body, x)
    return w.node("Add", x, body) if block.shortcut else body


RULES: dict[type[nn.Module], Callable[..., str]] = {
    nn.Sequential: sequential,
    nn.Conv2d: conv,
    nn.Linear: linear,
    nn.BatchNorm1d: batch_norm,
    nn.BatchNorm2d: batch_norm,
    nn.ReLU: lambda w, path, layer, x: w.node("Relu", x),
    nn.ReLU6: relu6,
    nn.MaxPool2d: pool("MaxPool"),
    nn.AvgPool2d: pool("AveragePool"),
    nn.AdaptiveAvgPool2d: lambda w, path, layer, x: w.node("GlobalAveragePool", x),
    nn.Flatten: lambda w, path, layer, x: w.node("Flatten", x),
    nn.Identity: lambda w, path, layer, x: x,
    Residual: residual,
    InvertedResidual: inverted_residual,
}


def onnx_network(network: nn.Module, shape: tuple[int, ...]) -> onnx.ModelProto:
    """Input x (N, *shape), one output."""
    w = Writer()
    y = w.write("", network, "x")
    graph = helper.make_graph(
        w.nodes,
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", *shape])],
        [helper.make_tensor_value_info(y, TensorProto.FLOAT, None)],
        w.weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    return onnx.shape_inference.infer_shapes(model)
