"""Models of one quantized operator with random sizes, scales and data.

Their input is float32 and is quantized first; the result is quantized, and dequantized again, so that two results are
equal if the integers are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper

from support.quantized.qdq import QdqWriter, Quantized, Scale

#: Scales of inputs are drawn from these limits.
LEAST, MOST = 0.003, 0.05


@dataclass
class Draw:
    """The state of one random model. per_channel: whether weights have a scale for each output channel."""

    rng: np.random.Generator
    writer: QdqWriter
    per_channel: bool
    inputs: dict[str, np.ndarray] = field(default_factory=dict)

    def whole(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def chosen(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def scale(self) -> Scale:
        """Return a random scale; often a power of two, so that results fall midway between integers."""
        limits = np.iinfo(self.writer.dtype)
        scale = self.chosen(2.0**-6, 2.0**-5, self.rng.uniform(LEAST, MOST))
        return Scale(float(np.float32(scale)), self.whole(limits.min, limits.max))

    def value(self, *shape: int) -> Quantized:
        """Return a new quantized input of the model, with data over the whole range."""
        name, of = f"x{len(self.inputs)}", self.scale()
        limits = np.iinfo(self.writer.dtype)
        q = self.rng.integers(limits.min - 10, limits.max + 11, shape) - of.zero
        self.inputs[name] = ((q + self.rng.uniform(-0.5, 0.5, shape)) * of.scale).astype(np.float32)
        return self.writer.quantize(name, self.source(name, shape), of)

    def source(self, name: str, shape: tuple[int, ...]) -> str:
        """Return the real value to quantize for an input: the input itself."""
        return name

    def weight(self, shape: tuple[int, ...], axis: int = 0) -> tuple[str, np.ndarray]:
        """Return a quantized weight in its float form, and its scales."""
        count = shape[axis] if self.per_channel else 1
        scales = self.rng.uniform(0.001, 0.02, count).astype(np.float32)
        q = self.rng.integers(-127, 128, shape).astype(np.int8)
        w, name = self.writer, f"w{len(self.writer.weights)}"
        zeros = np.zeros(scales.shape, np.int8)
        if not self.per_channel and self.chosen(False, True):
            zeros = zeros + np.int8(self.whole(-100, 100))
        constants = [(name, q), (f"{name}_scale", scales), (f"{name}_zero", zeros)]
        if not self.per_channel:
            constants[1:] = [(n, a.reshape(())) for n, a in constants[1:]]
        names = [w.weight(n, a) for n, a in constants]
        return w.node("DequantizeLinear", names, f"{name}_dequantize", axis=axis), scales

    def bias(self, channels: int, x: Quantized, scales: np.ndarray) -> list[str]:
        """Return a bias: int32 in units of both scales, float32, or none."""
        kind = self.chosen("int32", "float32", "none")
        if kind == "none":
            return []
        products = np.broadcast_to(np.float32(x.of.scale) * scales, (channels,)).astype(np.float32)
        q = self.rng.integers(-20000, 20001, channels).astype(np.int32)
        if kind == "float32":
            return [self.writer.weight("bias", (q * products).astype(np.float32))]
        return [self.writer.quantized_weight("bias", q, products)]

    def finish(self, real: str, spread: float) -> str:
        """Append perhaps an activation, and the quantization of a result with this standard deviation."""
        kind = self.chosen("none", "none", "Relu", "Clip")
        if kind == "Relu":
            real = self.writer.node("Relu", [real], "activation")
        elif kind == "Clip":
            bounds = [self.writer.weight(n, np.float32(v)) for n, v in (("least", 0.0), ("most", spread))]
            real = self.writer.node("Clip", [real, *bounds], "activation")
        of = Scale(float(np.float32(spread * self.rng.uniform(2, 4) / 128)), self.scale().zero)
        return self.writer.quantize("y", real, of).real

    def again(self, real: str) -> str:
        """Append the quantization of a result as large as the inputs."""
        return self.writer.quantize("y", real, self.scale()).real


def spread_of(draw: Draw, x: Quantized, scales: np.ndarray, terms: int) -> float:
    """Return the approximate standard deviation of a sum of products."""
    return float(x.of.scale * scales.max() * 80 * 100 * np.sqrt(terms))


def conv(draw: Draw) -> str:
    group, dims = draw.chosen(1, 1, 2, 4), draw.chosen(1, 2, 2)
    depthwise = draw.chosen(False, True)
    channels = group * draw.whole(1, 3) if not depthwise else draw.whole(2, 6)
    group = channels if depthwise else group
    outputs = group * draw.whole(1, 5)
    kernel = [draw.whole(1, 3) for _ in range(dims)]
    pads = [draw.whole(0, 2) for _ in range(2 * dims)]
    x = draw.value(draw.whole(1, 2), channels, *(draw.whole(6, 12) for _ in range(dims)))
    w, scales = draw.weight((outputs, channels // group, *kernel))
    attributes = {
        "strides": [draw.whole(1, 2) for _ in range(dims)],
        "dilations": [draw.whole(1, 2) for _ in range(dims)],
    }
    made = draw.writer.node("Conv", [x.real, w, *draw.bias(outputs, x, scales)], "op", group=group, pads=pads,
                            kernel_shape=kernel, **attributes)  # fmt: skip
    return draw.finish(made, spread_of(draw, x, scales, channels // group * int(np.prod(kernel))))


def conv_transpose(draw: Draw) -> str:
    group, dims = draw.chosen(1, 1, 2), draw.chosen(1, 2)
    if draw.per_channel:
        group = 1  # onnxruntime quantizes these weights along their second axis, which has the channels of one group
    channels, outputs = group * draw.whole(1, 3), group * draw.whole(1, 3)
    kernel, strides = [draw.whole(2, 3) for _ in range(dims)], [draw.whole(1, 2) for _ in range(dims)]
    pads = [draw.whole(0, 1) for _ in range(2 * dims)]
    x = draw.value(draw.whole(1, 2), channels, *(draw.whole(3, 6) for _ in range(dims)))
    w, scales = draw.weight((channels, outputs // group, *kernel), axis=1)
    made = draw.writer.node("ConvTranspose", [x.real, w, *draw.bias(outputs, x, scales)], "op", group=group, pads=pads,
                            kernel_shape=kernel, strides=strides)  # fmt: skip
    return draw.finish(made, spread_of(draw, x, scales, channels // group * int(np.prod(kernel))))


def gemm(draw: Draw) -> str:
    rows, inputs, outputs, transposed = draw.whole(1, 5), draw.whole(2, 40), draw.whole(1, 12), draw.chosen(0, 1)
    x = draw.value(rows, inputs)
    shape = (outputs, inputs) if transposed else (inputs, outputs)
    w, scales = draw.weight(shape, axis=1 - transposed)
    made = draw.writer.node("Gemm", [x.real, w, *draw.bias(outputs, x, scales)], "op", transB=transposed)
    return draw.finish(made, spread_of(draw, x, scales, inputs))


def matmul_weights(draw: Draw) -> str:
    inputs, outputs = draw.whole(2, 40), draw.whole(1, 12)
    x = draw.value(draw.whole(1, 3), draw.whole(1, 5), inputs)
    w, scales = draw.weight((inputs, outputs), axis=1)
    return draw.finish(draw.writer.node("MatMul", [x.real, w], "op"), spread_of(draw, x, scales, inputs))


def matmul(draw: Draw) -> str:
    batch, m, n, k = draw.whole(1, 3), draw.whole(1, 6), draw.whole(1, 6), draw.whole(1, 30)
    a, b = draw.value(batch, 2, m, k), draw.value(draw.chosen(1, batch), 2, k, n)
    made = draw.writer.node("MatMul", [a.real, b.real], "op")
    return draw.finish(made, float(a.of.scale * b.of.scale * 100 * 100 * np.sqrt(k)))


def binary(op_type: str) -> Callable[[Draw], str]:
    def made(draw: Draw) -> str:
        shape = [draw.whole(1, 3), draw.whole(1, 5), draw.whole(1, 5), draw.whole(1, 5)]
        other = [1 if draw.whole(0, 3) == 0 else d for d in shape][draw.chosen(0, 0, 1) :]
        a, b = draw.value(*shape), draw.value(*other)
        real = draw.writer.node(op_type, draw.chosen([a.real, b.real], [b.real, a.real]), "op")
        spread = 100 * a.of.scale * (100 * b.of.scale if op_type == "Mul" else 1.0)
        return draw.again(real) if op_type == "Add" else draw.finish(real, spread)

    return made


def pool(op_type: str) -> Callable[[Draw], str]:
    def made(draw: Draw) -> str:
        kernel = [draw.whole(1, 4) for _ in range(draw.chosen(1, 2, 2))]
        x = draw.value(draw.whole(1, 2), draw.whole(1, 5), *(draw.whole(k, 10) for k in kernel))
        attributes = {"strides": [draw.whole(1, 3) for _ in kernel], "pads": [draw.whole(0, k - 1) for k in kernel * 2]}
        if op_type == "AveragePool":
            attributes["count_include_pad"] = draw.whole(0, 1)
        real = draw.writer.node(op_type, [x.real], "op", kernel_shape=kernel, **attributes)
        return draw.writer.quantize("y", real, draw.chosen(x.of, draw.scale())).real

    return made


def mean(op_type: str) -> Callable[[Draw], str]:
    def made(draw: Draw) -> str:
        x = draw.value(draw.whole(1, 3), draw.whole(1, 6), draw.whole(1, 9), draw.whole(1, 9))
        axes = [] if op_type == "GlobalAveragePool" else [draw.writer.weight("axes", np.array([2, 3]))]
        real = draw.writer.node(op_type, [x.real, *axes], "op")
        return draw.writer.quantize("y", real, draw.chosen(x.of, draw.scale())).real

    return made


def function(op_type: str, **attributes: float) -> Callable[[Draw], str]:
    def made(draw: Draw) -> str:
        x = draw.value(2, 16, 5, 5)
        real = draw.writer.node(op_type, [x.real], "op", **attributes)
        of = Scale(1 / 256, 0) if op_type in ("Sigmoid", "HardSigmoid") else Scale(1 / 128, 0)
        small = np.iinfo(draw.writer.dtype).min == 0
        return draw.writer.quantize("y", real, draw.chosen(of, draw.scale()) if small else draw.scale()).real

    return made


def concat(draw: Draw) -> str:
    shape, axis = [draw.whole(1, 4) for _ in range(4)], draw.whole(1, 3)
    parts = [draw.value(*[draw.whole(1, 4) if a == axis else d for a, d in enumerate(shape)]) for _ in range(3)]
    real = draw.writer.node("Concat", [p.real for p in parts], "op", axis=axis)
    return draw.writer.quantize("y", real, draw.chosen(parts[0].of, draw.scale())).real


def movement(draw: Draw) -> str:
    """Append a chain of Transpose, Slice and Reshape to a convolution, whose result is channels-last."""
    x = draw.value(2, 4, 6, 5)
    w, scales = draw.weight((6, 4, 1, 1))
    seen = draw.writer.node("Conv", [x.real, w], "conv", kernel_shape=[1, 1])
    y = draw.writer.quantize(
        "seen", seen, Scale(float(np.float32(spread_of(draw, x, scales, 4) / draw.rng.uniform(40, 60))), 0)
    )
    turned = draw.writer.node("Transpose", [y.real], "turn", perm=list(map(int, draw.rng.permutation(4))))
    limits = [draw.writer.weight(n, np.array(v)) for n, v in (("starts", [1, 0]), ("ends", [9, 3]), ("axes", [1, 3]))]
    cut = draw.writer.node("Slice", [turned, *limits], "cut")
    shape = draw.writer.weight("shape", np.array([2, -1]) if draw.chosen(False, True) else np.array([-1]))
    real = draw.writer.node("Reshape", [cut, shape], "op")
    return draw.writer.quantize("y", real, draw.chosen(y.of, draw.scale())).real


def split(draw: Draw) -> str:
    x = draw.value(2, 6, 4, 3)
    names = ["left", "right"]
    sizes = draw.writer.weight("sizes", np.array([2, 4]))
    draw.writer.nodes.append(helper.make_node("Split", [x.real, sizes], names, "op", axis=1))
    halves = [draw.writer.quantize(n, n, draw.chosen(x.of, draw.scale())) for n in names]
    return draw.again(draw.writer.node("Concat", [h.real for h in halves], "join", axis=1))


def pad(draw: Draw) -> str:
    x = draw.value(2, 3, 4, 5)
    pads = draw.writer.weight("pads", np.array([0, 0, *(draw.whole(0, 2) for _ in range(2))] * 2))
    mode = draw.chosen("constant", "constant", "edge", "reflect")
    real = draw.writer.node("Pad", [x.real, pads], "op", mode=mode)
    return draw.writer.quantize("y", real, x.of).real


def resize(draw: Draw) -> str:
    x = draw.value(1, 3, draw.whole(2, 5), draw.whole(2, 5))
    factors = draw.chosen([1, 1, 2, 2], [1, 1, 3, 2], [1, 1, 1.5, 0.5])
    inputs = [x.real, "", draw.writer.weight("scales", np.array(factors, np.float32))]
    modes = draw.chosen(("asymmetric", "floor"), ("half_pixel", "round_prefer_floor"))
    real = draw.writer.node("Resize", inputs, "op", mode="nearest", coordinate_transformation_mode=modes[0],
                            nearest_mode=modes[1])  # fmt: skip
    return draw.writer.quantize("y", real, x.of).real


@dataclass
class TrainedInputs(Draw):
    """A random model with a trained parameter added to each input; its gradient is that of the input."""

    def source(self, name: str, shape: tuple[int, ...]) -> str:
        shift = self.writer.weight(f"{name}_shift", np.zeros(shape, np.float32))
        return self.writer.node("Add", [name, shift], f"{name}_shifted")


OPERATORS: dict[str, Callable[[Draw], str]] = {
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "Gemm": gemm,
    "MatMul with weights": matmul_weights,
    "MatMul": matmul,
    "Add": binary("Add"),
    "Mul": binary("Mul"),
    "MaxPool": pool("MaxPool"),
    "AveragePool": pool("AveragePool"),
    "GlobalAveragePool": mean("GlobalAveragePool"),
    "ReduceMean": mean("ReduceMean"),
    "Relu": function("Relu"),
    "LeakyRelu": function("LeakyRelu", alpha=0.1),
    "Sigmoid": function("Sigmoid"),
    "Tanh": function("Tanh"),
    "HardSigmoid": function("HardSigmoid", alpha=0.2, beta=0.5),
    "HardSwish": function("HardSwish"),
    "Concat": concat,
    "Transpose, Slice, Reshape": movement,
    "Split": split,
    "Pad": pad,
    "Resize": resize,
}


def model_of(
    name: str, seed: int, dtype: type[np.integer], per_channel: bool, kind: type[Draw] = Draw
) -> tuple[onnx.ModelProto, dict]:
    """Return a random model, and data for its inputs."""
    writer = QdqWriter(dtype)
    draw = kind(np.random.default_rng(seed), writer, per_channel)
    y = OPERATORS[name](draw)
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, list(a.shape)) for n, a in draw.inputs.items()]
    output = helper.make_tensor_value_info(y, TensorProto.FLOAT, None)
    graph = helper.make_graph(writer.nodes, "drawn", inputs, [output], writer.weights)
    opset = draw.chosen(14, 18, 19) if name == "AveragePool" else 18
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return onnx.shape_inference.infer_shapes(made, strict_mode=True), draw.inputs
