"""Random directed graphs of QDQ operators: no exporter writes them in this order, but any might write each part.

A graph grows node by node. Each node reads any earlier values, through its own or shared DequantizeLinears, and its
result is quantized to int8 or uint8 with random parameters, perhaps twice, or stays float32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

BATCH = 2
OPSETS = {13: 7, 17: 8, 18: 8, 19: 9, 21: 10, 23: 11}
#: Zero points: any, and those at the ends and in the middle, for int8; for uint8 they are 128 higher.
ZEROS = (0, 0, -128, 127, -7, 33)
#: Products of products are quantized as if they were at most this large: their scales would otherwise leave float32.
LARGEST = 1e4


@dataclass
class Value:
    """A value of the graph. real: the name of a float32 value; "" if only `integers` has a name.

    std: the approximate standard deviation of its elements. of: scale and zero point of the integers, as names of
    constants.
    """

    shape: tuple[int, ...]
    std: float
    real: str = ""
    integers: str = ""
    of: tuple[str, str] = ("", "")

    @property
    def is_quantized(self) -> bool:
        return bool(self.integers)


@dataclass
class DrawnGraph:
    """A graph under construction; `values` are all values that a further node may read."""

    rng: np.random.Generator
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    tensors: dict[str, np.ndarray] = field(default_factory=dict)
    inputs: dict[str, tuple[np.dtype, tuple[int, ...]]] = field(default_factory=dict)
    values: list[Value] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    # ---- Draws

    def whole(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def chosen(self, *choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def likely(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def pick(self, rank: int | None = None, shape: tuple[int, ...] | None = None) -> Value | None:
        """Return an earlier value, more often a late one; None if there is none with this rank or shape."""
        found = [v for v in self.values if rank in (None, len(v.shape)) and shape in (None, v.shape)]
        if not found:
            return None
        return found[-1] if self.likely(0.5) else found[self.whole(0, len(found) - 1)]

    # ---- Writing

    def constant(self, stem: str, array: Any) -> str:
        name = f"{stem}.{len(self.tensors)}"
        self.tensors[name] = np.asarray(array)
        return name

    def node(self, op_type: str, inputs: list[str], outputs: int = 1, **attributes: Any) -> list[str]:
        names = [f"{op_type.lower()}{len(self.nodes)}/{index}" for index in range(outputs)]
        self.used |= set(inputs)
        self.nodes.append(helper.make_node(op_type, inputs, names, f"node {len(self.nodes)}", **attributes))
        return names

    def quantization(self, std: float, dtype: np.dtype) -> tuple[str, str]:
        """Return new constants for a scale for numbers of this size, and for a zero point."""
        offset = 128 if dtype == np.uint8 else 0
        scale, zero = np.float32(std * self.rng.uniform(1.5, 4) / 128), dtype.type(self.chosen(*ZEROS) + offset)
        shape = self.chosen((), (), (1,))
        return self.constant("scale", np.full(shape, scale)), self.constant("zero", np.full(shape, zero))

    def quantized(self, real: str, shape: tuple[int, ...], std: float) -> Value:
        """Append QuantizeLinear with random parameters."""
        dtype = np.dtype(self.chosen("int8", "int8", "uint8"))
        of = self.quantization(std, dtype)
        (integers,) = self.node("QuantizeLinear", [real, *of])
        return Value(shape, std, integers=integers, of=of)

    def read(self, value: Value) -> str:
        """Return the float form of a value: from the existing DequantizeLinear, or from another one."""
        self.used.add(value.integers)
        if not value.is_quantized:
            return value.real
        if not value.real or self.likely(0.3):
            (value.real,) = self.node("DequantizeLinear", [value.integers, *value.of])
        return value.real

    def keep(self, real: str, shape: tuple[int, ...], std: float) -> None:
        """Let later nodes read a result: quantized, perhaps with a chain or a second scale, or rarely float32."""
        if not self.likely(0.85):
            self.values.append(Value(shape, std, real=real))
            return
        made = self.quantized(real, shape, std)
        self.values.append(made)
        if self.likely(0.15):
            self.values.append(self.quantized(real, shape, std))
        if self.likely(0.15):
            self.values.append(self.quantized(self.read(made), shape, std))
        if self.likely(0.1):
            again = self.node("QuantizeLinear", [self.read(made), *made.of])[0]
            self.values.append(Value(shape, std, integers=again, of=made.of))

    def activated(self, real: str, std: float) -> str:
        kind = self.chosen("", "", "", "Relu", "Clip", "Sigmoid", "Tanh")
        if kind == "Clip":
            low, high = (self.constant("bound", np.float32(b)) for b in self.chosen((0, std), (0, 6), (-std, std)))
            return self.node("Clip", [real, *self.chosen([low, high], [low, high], [low], ["", high])])[0]
        return self.node(kind, [real])[0] if kind else real

    # ---- Weights

    def weight(self, shape: tuple[int, ...], axis: int, std: float) -> tuple[str, np.ndarray]:
        """Return the float form of a weight with this standard deviation, and its scales."""
        per_channel, form = self.likely(0.5), self.chosen("int8", "int8", "int8", "uint8", "float32")
        count = (shape[axis],) if per_channel else ()
        scales = np.asarray(std / 40 * self.rng.uniform(0.5, 1.5, count), np.float32)
        dtype = np.dtype("uint8" if form == "uint8" else "int8")
        middle = 128 if form == "uint8" else 0
        zeros = np.full(count, middle + (0 if per_channel or self.likely(0.6) else self.whole(-50, 50)), dtype)
        q = np.clip(np.rint(self.rng.normal(middle, 40, shape)), middle - 127, middle + 127).astype(dtype)
        at = {"axis": axis - self.chosen(0, len(shape))} if per_channel else {}
        of = [self.constant("w.scale", scales), self.constant("w.zero", zeros)]
        if form == "float32":
            spread = [1] * len(shape)
            spread[axis] = -1
            real = (q.astype(np.float32) - middle) * (scales.reshape(spread) if per_channel else scales)
            q_name = self.node("QuantizeLinear", [self.constant("w", real.astype(np.float32)), *of], **at)[0]
        else:
            q_name = self.constant("w", q)
            of = of[: 1 if form == "int8" and not zeros.any() and self.likely(0.3) else 2]
        return self.node("DequantizeLinear", [q_name, *of], **at)[0], scales

    def bias(self, channels: int, x: Value, scales: np.ndarray, std: float) -> list[str]:
        """Return a bias: int32 in units of both scales, float32, or none."""
        kind = self.chosen("int32", "float32", "none") if x.is_quantized else self.chosen("float32", "none")
        if kind == "none":
            return []
        real = self.rng.normal(0, std, channels).astype(np.float32)
        if kind == "float32":
            return [self.constant("b", real)]
        units = np.asarray(np.float32(self.tensors[x.of[0]].reshape(())) * scales, np.float32)
        q = self.constant("b", np.rint(real / units).astype(np.int32))
        of = [self.constant("b.scale", units), self.constant("b.zero", np.zeros(units.shape, np.int32))]
        of = of[: self.chosen(1, 2)]
        return [self.node("DequantizeLinear", [q, *of], **({"axis": 0} if units.ndim else {}))[0]]


Step = Callable[[DrawnGraph], None]


def conv(g: DrawnGraph) -> None:
    dims = g.chosen(1, 2, 2)
    x = g.pick(rank=dims + 2)
    if x is None or min(x.shape[2:]) < 2 or x.shape[1] > 12:
        return
    channels = x.shape[1]
    group = g.chosen(1, 1, channels, *(d for d in range(2, channels) if channels % d == 0))
    outputs = group * g.whole(1, 1 + 4 // group)
    kernel, dilations = [g.whole(1, 3) for _ in range(dims)], [g.whole(1, 2) for _ in range(dims)]
    pads = [g.whole(0, 2) for _ in range(2 * dims)]
    strides = [g.whole(1, 2) for _ in range(dims)]
    reach = [d * (k - 1) + 1 for d, k in zip(dilations, kernel)]
    room = [n + pads[i] + pads[i + dims] - r for i, (n, r) in enumerate(zip(x.shape[2:], reach))]
    if min(room) < 0:
        return
    terms = channels // group * int(np.prod(kernel))
    w, scales = g.weight((outputs, channels // group, *kernel), 0, 1 / np.sqrt(terms))
    inputs = [g.read(x), w, *g.bias(outputs, x, scales, x.std / 3)]
    y = g.node("Conv", inputs, group=group, pads=pads, strides=strides, dilations=dilations, kernel_shape=kernel)[0]
    shape = (x.shape[0], outputs, *(r // s + 1 for r, s in zip(room, strides)))
    g.keep(g.activated(y, x.std), shape, x.std)


def conv_transpose(g: DrawnGraph) -> None:
    x = g.pick(rank=4)
    if x is None or max(x.shape[2:]) > 6 or x.shape[1] > 8:
        return
    channels, outputs, kernel = x.shape[1], g.whole(1, 3), [g.whole(2, 3), g.whole(2, 3)]
    strides, pads = [g.whole(1, 2), g.whole(1, 2)], [g.whole(0, 1) for _ in range(4)]
    size = [(n - 1) * strides[i] + kernel[i] - pads[i] - pads[i + 2] for i, n in enumerate(x.shape[2:])]
    if min(size) < 1:
        return
    w, scales = g.weight((channels, outputs, *kernel), 1, 1 / np.sqrt(channels * 2))
    inputs = [g.read(x), w, *g.bias(outputs, x, scales, x.std / 3)]
    y = g.node("ConvTranspose", inputs, pads=pads, strides=strides, kernel_shape=kernel)[0]
    g.keep(g.activated(y, x.std), (x.shape[0], outputs, *size), x.std)


def gemm(g: DrawnGraph) -> None:
    x = g.pick(rank=2)
    if x is None:
        return
    k, columns, trans = x.shape[1], g.whole(1, 5), g.whole(0, 1)
    w, scales = g.weight((columns, k) if trans else (k, columns), 1 - trans, 1 / np.sqrt(k))
    y = g.node("Gemm", [g.read(x), w, *g.bias(columns, x, scales, x.std / 3)], transB=trans)[0]
    g.keep(g.activated(y, x.std), (x.shape[0], columns), x.std)


def matmul(g: DrawnGraph) -> None:
    x = g.pick(rank=g.chosen(2, 3))
    if x is None:
        return
    k, columns = x.shape[-1], g.whole(1, 5)
    w, scales = g.weight((k, columns), 1, 1 / np.sqrt(k))
    y = g.node("MatMul", [g.read(x), w])[0]
    for b in g.bias(columns, x, scales, x.std / 3):
        y = g.node("Add", g.chosen([y, b], [b, y]))[0]
    g.keep(g.activated(y, x.std), (*x.shape[:-1], columns), x.std)


def product_of_values(g: DrawnGraph) -> None:
    a = g.pick(rank=3)
    if a is None:
        return
    b = g.pick(shape=a.shape)
    turned = g.node("Transpose", [g.read(b)], perm=[0, 2, 1])[0]
    y = g.node("MatMul", [g.read(a), turned])[0]
    g.keep(y, (a.shape[0], a.shape[1], a.shape[1]), min(a.std * b.std * np.sqrt(a.shape[2]), LARGEST))


def twice(g: DrawnGraph) -> None:
    """Append two products that share a weight, through one DequantizeLinear or through two."""
    a = g.pick(rank=2)
    b = g.pick(shape=a.shape) if a is not None else None
    if a is None or b is None:
        return
    w, _ = g.weight((a.shape[1], 3), 1, 1 / np.sqrt(a.shape[1]))
    other = w
    if g.likely(0.5):
        maker = g.nodes[-1]
        other = g.node("DequantizeLinear", list(maker.input), **{x.name: x.i for x in maker.attribute})[0]
    for value, weight in ((a, w), (b, other)):
        g.keep(g.node("MatMul", [g.read(value), weight])[0], (a.shape[0], 3), value.std)


def binary(g: DrawnGraph) -> None:
    kind = g.chosen("Add", "Add", "Mul", "Sub")
    a = g.pick()
    if a is None:
        return
    b = g.pick(shape=a.shape)
    other = operand(g, a) if g.likely(0.3) else g.read(b)
    std = min(a.std * b.std, LARGEST) if kind == "Mul" else a.std + b.std
    y = g.node(kind, g.chosen([g.read(a), other], [other, g.read(a)]))[0]
    g.keep(g.activated(y, std), a.shape, std)


def operand(g: DrawnGraph, a: Value) -> str:
    """Return a constant to add or multiply: a number, or one per channel, float32 or quantized."""
    shape = g.chosen((), (1,), tuple(n if axis == 1 else 1 for axis, n in enumerate(a.shape)), (1, *a.shape[1:]))
    if g.likely(0.5):
        return g.constant("operand", g.rng.normal(0, a.std, shape).astype(np.float32))
    q = g.constant("operand", g.rng.integers(-128, 128, shape).astype(np.int8))
    of = [g.constant("operand.scale", np.float32(a.std / 60)), g.constant("operand.zero", np.int8(g.chosen(0, 9)))]
    return g.node("DequantizeLinear", [q, *of])[0]


def pool(g: DrawnGraph) -> None:
    kind, x = g.chosen("MaxPool", "AveragePool"), g.pick(rank=g.chosen(3, 4, 4))
    if x is None:
        return
    kernel, strides = [g.whole(1, min(3, n)) for n in x.shape[2:]], [g.whole(1, 2) for _ in x.shape[2:]]
    pads = [g.whole(0, k - 1) for k in kernel] * 2
    extra = {"count_include_pad": g.whole(0, 1)} if kind == "AveragePool" else {}
    y = g.node(kind, [g.read(x)], kernel_shape=kernel, strides=strides, pads=pads, **extra)[0]
    half = len(kernel)
    size = [(n + pads[i] + pads[i + half] - kernel[i]) // strides[i] + 1 for i, n in enumerate(x.shape[2:])]
    g.keep(y, (*x.shape[:2], *size), x.std)


def mean(g: DrawnGraph) -> None:
    x = g.pick(rank=4)
    if x is not None:
        g.keep(g.node("GlobalAveragePool", [g.read(x)])[0], (*x.shape[:2], 1, 1), x.std)


def concat(g: DrawnGraph) -> None:
    a = g.pick()
    if a is None or a.shape[1] > 8:
        return
    found = [v for v in g.values if len(v.shape) == len(a.shape) and v.shape[2:] == a.shape[2:] and v.shape[1] < 9]
    parts = [a, *(found[g.whole(0, len(found) - 1)] for _ in range(g.whole(1, 2)))]
    y = g.node("Concat", [g.read(p) for p in parts], axis=g.chosen(1, 1 - len(a.shape)))[0]
    g.keep(y, (a.shape[0], sum(p.shape[1] for p in parts), *a.shape[2:]), max(p.std for p in parts))


def split(g: DrawnGraph) -> None:
    x = g.pick()
    if x is None or x.shape[1] < 2:
        return
    first = g.whole(1, x.shape[1] - 1)
    sizes = g.constant("sizes", np.array([first, x.shape[1] - first]))
    for y, n in zip(g.node("Split", [g.read(x), sizes], 2, axis=1), (first, x.shape[1] - first)):
        g.keep(y, (x.shape[0], n, *x.shape[2:]), x.std)


def cut(g: DrawnGraph) -> None:
    x = g.pick()
    axis = g.whole(1, len(x.shape) - 1)
    if x.shape[axis] < 2:
        return
    step = g.chosen(1, 1, 2)
    limits = [g.constant("limit", np.array([n])) for n in (1, 9999, axis, step)]
    y = g.node("Slice", [g.read(x), *limits])[0]
    shape = tuple(-((1 - n) // step) if a == axis else n for a, n in enumerate(x.shape))
    g.keep(y, shape, x.std)


def pad(g: DrawnGraph) -> None:
    x = g.pick()
    if max(x.shape[1:]) > 7:
        return
    before, after = ([0, *(g.whole(0, 1) for _ in x.shape[1:])] for _ in range(2))
    fill = [g.constant("fill", np.float32(g.chosen(0.0, 0.1)))] if g.likely(0.5) else []
    mode = "constant" if fill else g.chosen("constant", "edge")
    y = g.node("Pad", [g.read(x), g.constant("pads", np.array(before + after)), *fill], mode=mode)[0]
    g.keep(y, tuple(n + b + a for n, b, a in zip(x.shape, before, after)), x.std)


def resize(g: DrawnGraph) -> None:
    x = g.pick(rank=4)
    if x is None or max(x.shape[2:]) > 4:
        return
    factors = (1, 1, g.whole(1, 2), 2)
    given = g.constant("factors", np.array(factors, np.float32))
    y = g.node("Resize", [g.read(x), "", given], mode="nearest", nearest_mode="floor",
               coordinate_transformation_mode="asymmetric")[0]  # fmt: skip
    g.keep(y, tuple(n * f for n, f in zip(x.shape, factors)), x.std)


def function(g: DrawnGraph) -> None:
    x = g.pick()
    kind = g.chosen("Relu", "Sigmoid", "Tanh", "HardSigmoid", "LeakyRelu", "Elu", "HardSwish", "Exp", "Neg", "Abs",
                    "swish", "Softmax", "Softplus")  # fmt: skip
    real = g.read(x)
    if kind == "swish":
        y = g.node("Mul", g.chosen([real, s := g.node("Sigmoid", [real])[0]], [s, real]))[0]
    else:
        y = g.node(kind, [real], **({"axis": -1} if kind == "Softmax" else {}))[0]
    std = {"Exp": np.exp(min(x.std, 5.0)), "Sigmoid": 0.3, "HardSigmoid": 0.3, "Softmax": 0.3}.get(kind, x.std)
    g.keep(y, x.shape, float(std))


def reshape(g: DrawnGraph) -> None:
    x = g.pick()
    n, *rest = x.shape
    kind = g.chosen("Flatten", "Reshape", "Transpose", "Unsqueeze")
    count = int(np.prod(rest))
    if kind == "Flatten":
        g.keep(g.node("Flatten", [g.read(x)], axis=1)[0], (n, count), x.std)
    elif kind == "Transpose" and len(x.shape) > 2:
        perm = [0, *(1 + g.rng.permutation(len(rest))).tolist()]
        g.keep(g.node("Transpose", [g.read(x)], perm=perm)[0], tuple(x.shape[p] for p in perm), x.std)
    elif kind == "Reshape" and len(x.shape) > 2:
        shape = (n, x.shape[1], count // x.shape[1])
        given = g.constant("shape", np.array([0, shape[1], -1]))
        g.keep(g.node("Reshape", [g.read(x), given])[0], shape, x.std)
    elif kind == "Unsqueeze" and len(x.shape) < 4:
        g.keep(g.node("Unsqueeze", [g.read(x), g.constant("axes", np.array([1]))])[0], (n, 1, *rest), x.std)


def to_matrix(g: DrawnGraph) -> None:
    x = g.pick()
    g.keep(g.node("Flatten", [g.read(x)], axis=1)[0], (x.shape[0], int(np.prod(x.shape[1:]))), x.std)


STEPS: tuple[Step, ...] = (
    conv, conv, conv, conv, conv_transpose, gemm, gemm, gemm, matmul, matmul, product_of_values, twice, binary, binary,
    binary, pool, pool, mean, concat, split, cut, pad, resize, function, function, reshape, reshape, to_matrix,
)  # fmt: skip


def drawn_graph(seed: int, steps: int = 10) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """Return a model of about `steps` operators with at least one weight, and a batch for its inputs.

    Its batch is open.
    """
    g = DrawnGraph(np.random.default_rng(seed))
    for index in range(g.chosen(1, 1, 2, 3)):
        add_input(g, f"x{index}")
    while len([n for n in g.nodes if n.op_type not in ("QuantizeLinear", "DequantizeLinear")]) < steps:
        g.chosen(*STEPS)(g)
    to_matrix(g)
    while not any(name.startswith("w.") for name in g.tensors):
        gemm(g)
    return model_of(g), data_of(g)


def add_input(g: DrawnGraph, name: str) -> None:
    """Add an input: float32, or integers for a DequantizeLinear."""
    shape = (BATCH, *g.chosen((3, 5, 5), (4, 4, 6), (2, 6, 3), (1, 8), (3, 9), (7,)))
    std = float(g.rng.uniform(0.3, 3))
    dtype = np.dtype(g.chosen("float32", "float32", "int8", "uint8"))
    g.inputs[name] = (dtype, shape)
    if dtype == np.float32:
        g.keep(name, shape, std)
    else:
        g.values.append(Value(shape, std, integers=name, of=g.quantization(std, dtype)))


def data_of(g: DrawnGraph) -> dict[str, np.ndarray]:
    data = {}
    for name, (dtype, shape) in g.inputs.items():
        if dtype == np.float32:
            data[name] = g.rng.normal(0, 1.2, shape).astype(np.float32)
        else:
            data[name] = g.rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype)
    return data


def model_of(g: DrawnGraph) -> onnx.ModelProto:
    """Return the model; all unread values are outputs, as integers or as float32."""
    ends = [v for v in g.values if (v.integers or v.real) not in g.used]
    outputs = []
    for index, value in enumerate(ends):
        integral = value.is_quantized and index > 0 and value.integers not in g.inputs and g.likely(0.4)
        name = value.integers if integral else g.read(value)
        made = f"y{index}"
        g.nodes.append(helper.make_node("Identity", [name], [made]))
        dtype = g.tensors[value.of[1]].dtype if integral else np.dtype("float32")
        outputs.append((made, dtype, value.shape))
    graph = helper.make_graph(
        g.nodes, "drawn",
        [info(name, *what) for name, what in g.inputs.items()],
        [info(*output) for output in outputs],
        [numpy_helper.from_array(array, name) for name, array in g.tensors.items()],
    )  # fmt: skip
    opset = g.chosen(*(o for o in OPSETS if o >= lowest_opset(g)))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=OPSETS[opset])
    onnx.checker.check_model(made, full_check=True)
    return made


def lowest_opset(g: DrawnGraph) -> int:
    """Return the first version that has all of the graph's operators in their present form."""
    kinds = {node.op_type for node in g.nodes}
    return 18 if kinds & {"Pad", "Split", "Resize"} else 17 if "HardSwish" in kinds else 13


def info(name: str, dtype: np.dtype, shape: tuple[int, ...]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), ["n", *shape[1:]])
