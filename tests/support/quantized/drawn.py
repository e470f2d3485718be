"""Random QDQ models: 8-bit integers between QuantizeLinear and DequantizeLinear, in the forms that exporters write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from gradmote.ir.affine import Affine

#: The form of a weight: int8 or uint8 before DequantizeLinear, or float32 before QuantizeLinear.
WEIGHT_FORMS = ("int8", "uint8", "float32")


@dataclass
class QdqNetwork:
    """A network under construction; `value` is the name of the float value that the next layer reads."""

    rng: np.random.Generator
    activations: str = "int8"
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    tensors: dict[str, np.ndarray] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    scales: dict[str, np.float32] = field(default_factory=dict)
    value: str = "x"

    @property
    def shape(self) -> tuple[int, ...]:
        return self.shapes[self.value]

    def add(self, op_type: str, inputs: list[str], shape: tuple[int, ...], **attributes: object) -> str:
        name = f"{op_type.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, inputs, [name], name=f"{name}_node", **attributes))
        self.shapes[name] = shape
        return name

    def tensor(self, name: str, array: np.ndarray) -> str:
        name = f"{name}_{len(self.tensors)}" if name in self.tensors else name
        self.tensors[name] = np.asarray(array)
        return name

    def quantize(self, scale: float = 0.04) -> None:
        """Append QuantizeLinear and DequantizeLinear of the value."""
        dtype = np.dtype(self.activations)
        limits = np.iinfo(dtype)
        zero = dtype.type((limits.min + limits.max + 1) // 2 + self.rng.integers(-30, 30))
        stem, shape = f"{self.value}", self.shape
        parameters = [self.tensor(f"{stem}.scale", np.float32(scale)), self.tensor(f"{stem}.zero", zero)]
        q = self.add("QuantizeLinear", [self.value, *parameters], shape)
        self.value = self.add("DequantizeLinear", [q, *parameters], shape)
        self.scales[self.value] = np.float32(scale)

    def weight(self, name: str, shape: tuple[int, ...], form: str, axis: int | None) -> tuple[str, Affine]:
        """Append a weight with its DequantizeLinear."""
        real = self.rng.normal(0, 0.3, shape).astype(np.float32)
        dtype = np.dtype("uint8" if form == "uint8" else "int8")
        count = () if axis is None else (shape[axis],)
        scale = (self.rng.uniform(0.004, 0.008, count)).astype(np.float32)
        zero = np.full(count, 128 + self.rng.integers(-2, 3) if form == "uint8" else 0, dtype)
        affine = Affine(scale, zero, axis)
        given = {"axis": axis} if axis is not None else {}
        parameters = [self.tensor(f"{name}.scale", scale), self.tensor(f"{name}.zero", zero)]
        if form == "float32":
            q = self.add("QuantizeLinear", [self.tensor(name, real), *parameters], shape, **given)
        else:
            q = self.tensor(name, affine.quantize(real))
        return self.add("DequantizeLinear", [q, *parameters], shape, **given), affine

    def bias(self, name: str, count: int, form: str, scale: np.ndarray) -> list[str]:
        """Append a bias: int32 with the scale of the products, float32, or none."""
        if form == "none":
            return []
        real = self.rng.normal(0, 0.3, count).astype(np.float32)
        if form == "float32":
            return [self.tensor(name, real)]
        per = {"axis": 0} if scale.ndim else {}
        q = self.tensor(name, np.rint(real / scale).astype(np.int32))
        parameters = [self.tensor(f"{name}.scale", scale.astype(np.float32)),
                      self.tensor(f"{name}.zero", np.zeros(scale.shape, np.int32))]  # fmt: skip
        return [self.add("DequantizeLinear", [q, *parameters], (count,), **per)]

    def conv(self, channels: int, form: str, per_channel: bool, bias: str, depthwise: bool = False) -> None:
        n, c, h, w = self.shape
        channels, group = (c, c) if depthwise else (channels, 1)
        name = f"conv{len(self.nodes)}"
        weight, affine = self.weight(f"{name}.w", (channels, c // group, 3, 3), form, 0 if per_channel else None)
        extra = self.bias(f"{name}.b", channels, bias, np.asarray(self.scales[self.value] * affine.scale))
        self.value = self.add("Conv", [self.value, weight, *extra], (n, channels, h, w), pads=[1, 1, 1, 1], group=group)

    def gemm(self, columns: int, form: str, per_channel: bool, bias: str, kind: str) -> None:
        """Append Gemm (B or B transposed), MatMul, or MatMul with a Transpose of its weight."""
        n, k = self.shape
        name, across = f"gemm{len(self.nodes)}", kind in ("transB", "transposed")
        shape = (columns, k) if across else (k, columns)
        weight, affine = self.weight(f"{name}.w", shape, form, (0 if across else 1) if per_channel else None)
        extra = self.bias(f"{name}.b", columns, bias, np.asarray(self.scales[self.value] * affine.scale))
        if kind in ("matmul", "transposed"):
            weight = self.add("Transpose", [weight], (k, columns), perm=[1, 0]) if across else weight
            self.value = self.add("MatMul", [self.value, weight], (n, columns))
            self.value = self.add("Add", [self.value, *extra], (n, columns)) if extra else self.value
        else:
            attributes = {"transB": 1} if across else {}
            self.value = self.add("Gemm", [self.value, weight, *extra], (n, columns), **attributes)

    def activation(self, kind: str) -> None:
        if kind == "Clip":
            bounds = [self.tensor("low", np.float32(0)), self.tensor("high", np.float32(1.5))]
            self.value = self.add("Clip", [self.value, *bounds], self.shape)
        elif kind != "none":
            self.value = self.add(kind, [self.value], self.shape)

    def pool(self, kind: str) -> None:
        n, c, h, w = self.shape
        if kind == "GlobalAveragePool":
            self.value = self.add(kind, [self.value], (n, c, 1, 1))
        elif kind != "none" and min(h, w) > 1:
            shape = (n, c, h // 2, w // 2)
            self.value = self.add(kind, [self.value], shape, kernel_shape=[2, 2], strides=[2, 2])
        else:
            return
        self.quantize()

    def flatten(self) -> None:
        n, *rest = self.shape
        self.value = self.add("Flatten", [self.value], (n, int(np.prod(rest))), axis=1)
        self.quantize()

    def model(self, quantized_end: bool = True, integers: bool = False) -> onnx.ModelProto:
        """Return the model, with input `x` and output `y`, which may be the integers themselves."""
        if quantized_end:
            self.quantize(0.05)
        end = self.nodes[-1].input[0] if integers else self.value
        last = helper.make_node("Identity", [end], ["y"])
        shape = list(self.shapes["x"])
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(self.activations)) if integers else TensorProto.FLOAT
        graph = helper.make_graph(
            [*self.nodes, last], "qdq",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", *shape[1:]])],
            [helper.make_tensor_value_info("y", kind, ["n", *self.shapes[end][1:]])],
            [numpy_helper.from_array(np.asarray(a), n) for n, a in self.tensors.items()],
        )  # fmt: skip
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(made, full_check=True)
        return made


@st.composite
def networks(draw: st.DrawFn, activations: tuple[str, ...] = ("int8", "uint8")) -> onnx.ModelProto:
    """Return a network with choices by Hypothesis."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return network(rng, lambda choices: draw(st.sampled_from(choices)), activations)


def network(
    rng: np.random.Generator, choose: Callable[[Sequence], Any], activations: Sequence[str] = ("int8", "uint8")
) -> onnx.ModelProto:
    """Return a convolutional QDQ network with a residual or concatenated branch, pools, and a dense end."""
    net = QdqNetwork(rng, choose(activations))
    net.shapes["x"] = (1, choose((1, 2, 3)), *[choose((4, 5))] * 2)
    net.quantize(0.02)
    biases, acts = ("int32", "float32", "none"), ("none", "Relu", "Clip", "Sigmoid")
    channels = choose((1, 2, 3, 4))
    net.conv(channels, choose(WEIGHT_FORMS), choose((False, True)), choose(biases))
    net.activation(choose(acts))
    net.quantize()
    before = net.value
    net.conv(channels, choose(WEIGHT_FORMS), choose((False, True)), choose(biases), depthwise=choose((False, True)))
    net.activation(choose(acts))
    net.quantize()
    join(net, before, choose(("none", "Add", "Concat", "Mul")))
    net.pool(choose(("none", "MaxPool", "AveragePool", "GlobalAveragePool")))
    net.flatten()
    kind = choose(("transB", "plain", "matmul", "transposed"))
    net.gemm(choose((2, 3, 4, 5)), choose(WEIGHT_FORMS), choose((False, True)), choose(biases), kind)
    return net.model(choose((False, True)))


def join(net: QdqNetwork, other: str, kind: str) -> None:
    """Join the value with another one of its shape, or along the channels."""
    if kind == "none":
        return
    n, c, *rest = net.shape
    attributes = {"axis": 1} if kind == "Concat" else {}
    shape = (n, 2 * c, *rest) if kind == "Concat" else net.shape
    net.value = net.add(kind, [net.value, other], shape, **attributes)
    net.quantize()
