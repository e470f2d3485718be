"""Nodes of each operator with every attribute drawn, over opsets, ranks, negative and empty axes, and corner sizes.

A draw may be invalid: then onnxruntime and we have to refuse it both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from gradmote.frontend.read import OLDEST_OPSET

#: The newest opset that onnxruntime of the tests reads.
NEWEST_OPSET = 26


@dataclass
class Draw:
    """One node, so far.

    Attributes:
        floats: The inputs that have gradients, by name.
        others: Indices, labels and truth values, which are inputs of the graph.
        constants: What must be known when the model is compiled.
    """

    op_type: str
    rng: np.random.Generator
    opset: int
    floats: dict[str, np.ndarray] = field(default_factory=dict)
    others: dict[str, np.ndarray] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    outputs: int = 1
    used: int = 0  #: the output that is compared
    dequantizes: bool = False  #: whether a DequantizeLinear follows
    result: tuple[int, ...] | None = None  #: the shape of the result, once it is known

    def pick(self, *choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]

    def maybe(self, chance: float = 0.5) -> bool:
        return bool(self.rng.random() < chance)

    def integer(self, low: int, high: int) -> int:
        """Return a number from low to high, both included."""
        return int(self.rng.integers(low, high + 1))

    def shape(self, low: int, high: int, longest: int = 4) -> tuple[int, ...]:
        return tuple(self.integer(1, longest) for _ in range(self.integer(low, high)))

    def numbers(self, shape: Sequence[int], low: float = 0.3, high: float = 1.8) -> np.ndarray:
        """Return float32 of magnitudes from low to high, of either sign unless low is not below 0.3."""
        sign = self.rng.choice([-1.0, 1.0], shape) if low == 0.3 else 1.0
        return np.asarray(self.rng.uniform(low, high, shape) * sign, np.float32)

    def axis(self, rank: int, oldest_negative: int = 11) -> int:
        low = -rank if self.opset >= oldest_negative else 0
        return self.integer(low, max(rank - 1, low))

    def axes(self, rank: int) -> list[int]:
        """Return distinct axes, some of them counted from the end; sometimes none."""
        count = self.integer(0 if self.maybe(0.2) else min(rank, 1), rank)
        chosen = self.rng.permutation(rank)[:count]
        return [int(a) - (rank if self.opset >= 11 and self.maybe(0.4) else 0) for a in chosen]

    def x(self, array: np.ndarray, name: str = "x") -> np.ndarray:
        """Add an input with a gradient."""
        self.floats[name] = array
        self.names.append(name)
        return array

    def data(self, name: str, array: Any) -> None:
        """Add an input without one."""
        self.others[name] = np.asarray(array)
        self.names.append(name)

    def constant(self, name: str, array: Any) -> None:
        self.constants[name] = np.asarray(array)
        self.names.append(name)

    def skip(self) -> None:
        """Leave an optional input out."""
        self.names.append("")

    def sometimes(self, **attributes: Any) -> None:
        """Add some of the attributes; the others have their defaults."""
        self.attributes.update({name: value for name, value in attributes.items() if self.maybe(0.7)})

    def as_input(self, oldest: int, name: str, value: Any, dtype: Any = np.int64) -> None:
        """Add what is an input from an opset on, and was an attribute before."""
        if self.opset >= oldest:
            self.constant(name, np.asarray(value, dtype))
        else:
            self.attributes[name] = value

    def model(self, fixed: bool, shape: tuple[int, ...] | None = None) -> onnx.ModelProto:
        """Return the model. fixed: floats are initializers. shape: the result's, or None to infer it."""
        outputs = [f"out{k}" for k in range(self.outputs)]
        own = helper.make_node(self.op_type, self.names, outputs)
        own.attribute.extend(attribute(name, value) for name, value in self.attributes.items())
        cast = helper.make_node("Cast", [outputs[self.used]], ["y"], to=TensorProto.FLOAT)
        if self.dequantizes:
            cast = helper.make_node("DequantizeLinear", [outputs[0], *self.names[1:]], ["y"])
        given = {**({} if fixed else self.floats), **self.others}
        held = {**(self.floats if fixed else {}), **self.constants}
        graph = helper.make_graph(
            [own, cast],
            self.op_type,
            [
                helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
                for n, a in given.items()
            ],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
            [numpy_helper.from_array(array, name) for name, array in held.items()],
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        made = onnx.shape_inference.infer_shapes(made, data_prop=True)
        is_known = made.graph.output[0].type.tensor_type.HasField("shape")
        return made if is_known or shape is not None or self.result is None else self.model(fixed, self.result)


def attribute(name: str, value: Any) -> onnx.AttributeProto:
    """Return an attribute; an empty list is one of integers, such as the perm of a scalar's Transpose."""
    return helper.make_attribute(name, value, attr_type=onnx.AttributeProto.INTS if value == [] else None)


DRAWS: dict[str, Callable[[Draw], None]] = {}


def draws(*op_types: str) -> Callable[[Callable[[Draw], None]], Callable[[Draw], None]]:
    """Make a function the one that draws these operators."""

    def put(function: Callable[[Draw], None]) -> Callable[[Draw], None]:
        DRAWS.update(dict.fromkeys(op_types, function))
        return function

    return put


def drawn(op_type: str, seed: int) -> Draw:
    """Return a node of an operator, of an opset that has it."""
    first = min(s.since_version for s in onnx.defs.get_all_schemas_with_history() if s.name == op_type and not s.domain)
    rng = np.random.default_rng([seed, *op_type.encode()])
    oldest = max(first, OLDEST_OPSET)
    made = Draw(op_type, rng, int(rng.integers(oldest, NEWEST_OPSET + 1)))
    DRAWS[op_type](made)
    return made


# ---- Elementwise ----------------------------------------------------------------------------------------------------

INSIDE = {"Acos": (-0.9, 0.9), "Asin": (-0.9, 0.9), "Atanh": (-0.9, 0.9), "Acosh": (1.1, 3.0), "Log": (0.1, 3.0),
          "Sqrt": (0.1, 3.0), "Reciprocal": (0.4, 2.0), "Tan": (-1.2, 1.2)}  # fmt: skip


@draws("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor",
       "HardSwish", "Identity", "Log", "Mish", "Neg", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sinh",
       "Softplus", "Softsign", "Sqrt", "Tan", "Tanh", "Elu", "Celu", "Selu", "LeakyRelu", "HardSigmoid",
       "ThresholdedRelu", "Swish", "Gelu")  # fmt: skip
def unary(d: Draw) -> None:
    d.x(d.numbers(d.shape(0, 5), *INSIDE.get(d.op_type, (0.3, 1.8))))
    schema = onnx.defs.get_schema(d.op_type, d.opset)
    for name in ("alpha", "beta", "gamma"):
        if name in schema.attributes:
            d.sometimes(**{name: float(np.float32(d.pick(0.0, 0.01, 0.2, 0.5, 1.0, 1.7, -0.3)))})
    if d.op_type == "Gelu":
        d.sometimes(approximate=d.pick("none", "tanh"))


@draws("Add", "Sub", "Mul", "Div", "Pow", "Mod", "PRelu", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual")
def binary(d: Draw) -> None:
    full = d.shape(0, 4)
    positive = d.op_type in ("Pow", "Mod")
    d.x(d.numbers(full if d.opset < 7 or d.op_type == "PRelu" else part(d, full), *((0.4, 1.8) if positive else ())))
    right = part(d, full)
    if d.opset < 7 and d.op_type != "PRelu":
        right = legacy_broadcast(d, full)
    elif d.op_type == "PRelu" and d.opset < 7:
        right = d.pick((1,), full[1:2] or (1,))
    d.x(d.numbers(right, *((0.4, 1.8) if positive else ())), "b")
    if d.op_type == "Mod":
        d.attributes["fmod"] = d.pick(1, 1, 1, 0)
    if d.op_type in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"):
        d.others.update(d.floats)
        d.floats.clear()


def part(d: Draw, full: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape that broadcasts to the full one."""
    kept = full[d.integer(0, len(full)) :]
    return tuple(1 if d.maybe(0.3) else size for size in kept)


def legacy_broadcast(d: Draw, full: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape that broadcasts from an axis on, as before opset 7."""
    if d.maybe(0.3):
        return full
    start = d.integer(0, len(full))
    end = d.integer(start, len(full))
    d.attributes["broadcast"] = 1
    if end < len(full) or d.maybe():
        d.attributes["axis"] = start
    return full[start:end]


@draws("Max", "Min")
def extrema(d: Draw) -> None:
    full = d.shape(1, 4)
    for name in "xab"[: d.integer(1, 3)]:
        d.x(d.numbers(full if d.opset < 8 else part(d, full)), name)


@draws("And", "Or", "Not")
def logic(d: Draw) -> None:
    full = d.shape(0, 3)
    for name in ("p",) if d.op_type == "Not" else ("p", "q"):
        shape = full if d.opset < 7 or d.op_type == "Not" else part(d, full)
        d.data(name, d.rng.integers(0, 2, shape).astype(bool))


@draws("Where")
def where(d: Draw) -> None:
    full = d.shape(0, 4)
    d.data("p", d.rng.integers(0, 2, part(d, full)).astype(bool))
    d.x(d.numbers(part(d, full)))
    d.x(d.numbers(part(d, full)), "b")


@draws("Clip")
def clip(d: Draw) -> None:
    d.x(d.numbers(d.shape(0, 4)))
    low, high = d.pick((-0.9, 0.9), (0.0, 1.0), (0.5, -0.5), (-9.0, 0.1))
    if d.opset < 11:
        d.sometimes(min=low, max=high)
        return
    for name, bound in (("low", low), ("high", high)):
        if d.maybe(0.7):
            d.constant(name, np.float32(bound))
        else:
            d.skip()


@draws("Cast")
def cast(d: Draw) -> None:
    to = d.pick(TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL, TensorProto.DOUBLE,
                TensorProto.FLOAT16)  # fmt: skip
    d.x(d.numbers(d.shape(0, 3)))
    d.attributes["to"] = to


# ---- Reductions and rows --------------------------------------------------------------------------------------------


@draws("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
       "ReduceSum", "ReduceSumSquare")  # fmt: skip
def reduction(d: Draw) -> None:
    shape = d.shape(0 if d.opset >= 13 and d.maybe(0.1) else 1, 5, 3)
    d.x(d.numbers(shape, 0.4, 1.8) if "Log" in d.op_type else d.numbers(shape))
    oldest = 13 if d.op_type == "ReduceSum" else 18
    if d.maybe(0.85):
        d.as_input(oldest, "axes", d.axes(len(shape)))
        if d.opset < oldest and not d.attributes["axes"]:
            del d.attributes["axes"]
    if d.opset >= oldest:
        d.sometimes(noop_with_empty_axes=d.integer(0, 1))
    d.sometimes(keepdims=d.integer(0, 1))


@draws("Softmax", "LogSoftmax", "Hardmax")
def softmax(d: Draw) -> None:
    shape = d.shape(1, 5)
    d.x(d.numbers(shape))
    d.sometimes(axis=d.axis(len(shape)))


@draws("LpNormalization")
def lp_normalization(d: Draw) -> None:
    shape = d.shape(1, 4)
    d.x(d.numbers(shape))
    d.sometimes(axis=d.axis(len(shape)), p=d.integer(1, 2))


@draws("CumSum")
def cumsum(d: Draw) -> None:
    shape = d.shape(1, 4)
    d.x(d.numbers(shape))
    d.constant("axis", np.asarray(d.axis(len(shape)), d.pick(np.int32, np.int64)))
    d.sometimes(exclusive=d.integer(0, 1), reverse=d.integer(0, 1))


@draws("ArgMax", "ArgMin")
def arg_extremum(d: Draw) -> None:
    shape = d.shape(1, 4)
    array = d.numbers(shape)
    d.data("x", np.round(array) if d.maybe() else array)
    d.sometimes(axis=d.axis(len(shape)), keepdims=d.integer(0, 1))
    if d.opset >= 12:
        d.sometimes(select_last_index=d.integer(0, 1))


@draws("TopK")
def top_k(d: Draw) -> None:
    shape = d.shape(1, 4)
    d.x(d.numbers(shape))
    axis = d.axis(len(shape))
    k = d.integer(1, shape[axis])
    if d.opset >= 10:
        d.constant("k", np.array([k]))
    else:
        d.attributes["k"] = k
    d.attributes["axis"] = axis
    if d.opset >= 11:
        d.sometimes(largest=d.integer(0, 1))
    d.outputs, d.used = 2, d.integer(0, 1)


@draws("OneHot")
def one_hot(d: Draw) -> None:
    shape = d.shape(1, 3)
    depth = d.integer(2, 5)
    d.data("i", d.rng.integers(-depth if d.opset >= 11 else 0, depth, shape).astype(d.pick(np.int32, np.int64)))
    d.constant("depth", np.asarray(depth))
    d.constant("values", np.asarray([d.pick(0.0, -1.0), d.pick(1.0, 3.0)], np.float32))
    d.sometimes(axis=d.axis(len(shape) + 1))


# ---- Windows --------------------------------------------------------------------------------------------------------


def window(d: Draw, dims: int, sizes: Sequence[int], dilates: bool) -> None:
    """Add strides, dilations and padding."""
    if dilates:
        d.sometimes(dilations=[d.integer(1, 2) for _ in range(dims)])
    d.sometimes(strides=[d.integer(1, 3) for _ in range(dims)])
    way = d.pick("pads", "pads", "none", "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
    if way == "pads":
        d.attributes["pads"] = [d.integer(0, 2) for _ in range(2 * dims)]
    elif way != "none":
        d.attributes["auto_pad"] = way


@draws("Conv")
def conv(d: Draw) -> None:
    dims, group = d.pick(1, 2, 2, 2), d.integer(1, 3)
    sizes, kernel = [d.integer(3, 6) for _ in range(dims)], [d.integer(1, 3) for _ in range(dims)]
    inside, outside = d.integer(1, 2), d.integer(1, 2)
    d.x(d.numbers((d.integer(1, 2), group * inside, *sizes)))
    d.x(d.numbers((group * outside, inside, *kernel)), "w")
    if d.maybe():
        d.x(d.numbers((group * outside,)), "b")
    if group > 1 or d.maybe(0.2):
        d.attributes["group"] = group
    d.sometimes(kernel_shape=kernel)
    window(d, dims, sizes, dilates=True)


@draws("ConvTranspose")
def conv_transpose(d: Draw) -> None:
    dims, group = d.pick(1, 2, 2), d.integer(1, 2)
    sizes, kernel = [d.integer(2, 4) for _ in range(dims)], [d.integer(1, 3) for _ in range(dims)]
    inside, outside = d.integer(1, 2), d.integer(1, 2)
    d.x(d.numbers((d.integer(1, 2), group * inside, *sizes)))
    d.x(d.numbers((group * inside, outside, *kernel)), "w")
    if d.maybe():
        d.x(d.numbers((group * outside,)), "b")
    if group > 1:
        d.attributes["group"] = group
    d.sometimes(kernel_shape=kernel)
    window(d, dims, sizes, dilates=True)
    strides = d.attributes.get("strides", [1] * dims)
    if d.maybe(0.4):
        d.attributes["output_padding"] = [d.integer(0, max(s - 1, 0)) for s in strides]
    if d.maybe(0.2):
        d.attributes["output_shape"] = [s * t + d.integer(0, 1) for s, t in zip(sizes, strides, strict=True)]


@draws("AveragePool", "MaxPool")
def pool(d: Draw) -> None:
    dims = d.pick(1, 2, 2, 2)
    sizes = [d.integer(3, 7) for _ in range(dims)]
    d.x(d.numbers((d.integer(1, 2), d.integer(1, 2), *sizes)))
    d.attributes["kernel_shape"] = [d.integer(1, 3) for _ in range(dims)]
    window(d, dims, sizes, dilates=d.opset >= (19 if d.op_type == "AveragePool" else 10))
    if d.opset >= 10:
        d.sometimes(ceil_mode=d.integer(0, 1))
    if d.op_type == "AveragePool" and d.opset >= 7:
        d.sometimes(count_include_pad=d.integer(0, 1))
    if d.op_type == "MaxPool" and d.opset >= 8:
        d.sometimes(storage_order=d.integer(0, 1))


@draws("GlobalMaxPool", "GlobalAveragePool")
def global_pool(d: Draw) -> None:
    d.x(d.numbers((d.integer(1, 2), d.integer(1, 3), *d.shape(1, 3))))


@draws("LRN")
def lrn(d: Draw) -> None:
    d.x(d.numbers((d.integer(1, 2), d.integer(1, 5), *d.shape(1, 2))))
    d.attributes["size"] = d.integer(1, 5)
    d.sometimes(alpha=d.pick(1e-4, 0.5), beta=d.pick(0.75, 0.5, 1.0), bias=d.pick(1.0, 2.0))


@draws("Resize")
def resize(d: Draw) -> None:
    dims = d.pick(1, 2)
    sizes = [d.integer(2, 5) for _ in range(dims)]
    d.x(d.numbers((1, d.integer(1, 2), *sizes)))
    if d.opset >= 13:
        d.skip()
    elif d.opset >= 11:
        d.constant("roi", np.zeros(0, np.float32))
    goal = [d.integer(1, 8) for _ in range(dims)]
    lead = list(d.floats["x"].shape[:2])
    if d.opset >= 18 and d.maybe(0.4):
        d.attributes["axes"], lead = [int(a) for a in range(2, 2 + dims)], []
        d.sometimes(keep_aspect_ratio_policy=d.pick("stretch", "not_larger", "not_smaller"))
    if d.opset >= 11 and (d.maybe() or d.attributes.get("keep_aspect_ratio_policy", "stretch") != "stretch"):
        d.constant("scales", np.zeros(0, np.float32)) if d.opset < 13 else d.skip()
        d.constant("sizes", np.array([*lead, *goal]))
    else:
        factors = [d.pick(0.5, 0.6, 1.5, 2.0, 3.0) for _ in sizes]
        d.constant("scales", np.array([*(1.0 for _ in lead), *factors], np.float32))
    d.sometimes(mode=d.pick("nearest", "linear", *(("cubic",) if d.opset >= 11 else ())))
    if d.opset >= 11:
        forms = (
            "half_pixel",
            "asymmetric",
            "align_corners",
            "pytorch_half_pixel",
            *(("half_pixel_symmetric",) if d.opset >= 19 else ()),
        )
        d.sometimes(
            coordinate_transformation_mode=d.pick(*forms),
            cubic_coeff_a=d.pick(-0.75, -0.5),
            exclude_outside=d.integer(0, 1),
        )
        d.sometimes(nearest_mode=d.pick("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"))
    if d.opset >= 18:
        d.sometimes(antialias=d.pick(0, 0, 1))


@draws("GridSample")
def grid_sample(d: Draw) -> None:
    batch = d.integer(1, 2)
    d.x(d.numbers((batch, d.integer(1, 2), d.integer(2, 4), d.integer(2, 4))))
    d.x(d.numbers((batch, *d.shape(2, 2, 3), 2), -1.3, 1.3), "grid")
    linear, cubic = ("linear", "cubic") if d.opset >= 20 else ("bilinear", "bicubic")
    d.sometimes(
        mode=d.pick("nearest", linear, cubic),
        padding_mode=d.pick("zeros", "border", "reflection"),
        align_corners=d.integer(0, 1),
    )


@draws("DepthToSpace", "SpaceToDepth")
def depth(d: Draw) -> None:
    block = d.integer(1, 3)
    batch, channels, rows, columns = d.integer(1, 2), d.integer(1, 2), d.integer(1, 3), d.integer(1, 3)
    if d.op_type == "DepthToSpace":
        d.x(d.numbers((batch, channels * block * block, rows, columns)))
        if d.opset >= 11:
            d.sometimes(mode=d.pick("DCR", "CRD"))
    else:
        d.x(d.numbers((batch, channels, rows * block, columns * block)))
    d.attributes["blocksize"] = block


# ---- Norms ----------------------------------------------------------------------------------------------------------


@draws("BatchNormalization")
def batch_norm(d: Draw) -> None:
    channels = d.integer(1, 3)
    d.x(d.numbers((d.integer(1, 3), channels, *d.shape(0, 2))))
    d.x(d.numbers((channels,)), "scale")
    d.x(d.numbers((channels,)), "bias")
    d.constant("mean", d.numbers((channels,)))
    d.constant("var", d.numbers((channels,), 0.4, 2.0))
    d.sometimes(epsilon=d.pick(1e-5, 0.1), momentum=0.8)
    if d.opset < 7:
        d.sometimes(is_test=1)
    if d.opset < 9:
        d.sometimes(spatial=d.pick(1, 1, 0))


@draws("InstanceNormalization")
def instance_norm(d: Draw) -> None:
    channels = d.integer(1, 3)
    d.x(d.numbers((d.integer(1, 2), channels, *d.shape(1, 2, 4))))
    d.x(d.numbers((channels,)), "scale")
    d.x(d.numbers((channels,)), "bias")
    d.sometimes(epsilon=d.pick(1e-5, 0.1))


@draws("GroupNormalization")
def group_norm(d: Draw) -> None:
    groups, each = d.integer(1, 2), d.integer(1, 3)
    d.x(d.numbers((d.integer(1, 2), groups * each, *d.shape(1, 2, 4))))
    count = groups if d.opset < 21 else groups * each
    d.x(d.numbers((count,)), "scale")
    d.x(d.numbers((count,)), "bias")
    d.attributes["num_groups"] = groups
    d.sometimes(epsilon=d.pick(1e-5, 0.1))


@draws("LayerNormalization", "RMSNormalization")
def layer_norm(d: Draw) -> None:
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    d.x(d.numbers(shape))
    d.x(d.numbers(shape[axis:] if axis else shape), "scale")
    if d.op_type == "LayerNormalization" and d.maybe():
        d.x(d.numbers(shape[axis:] if axis else shape), "bias")
    d.attributes["axis"] = axis
    d.sometimes(epsilon=d.pick(1e-5, 0.1))


# ---- Products -------------------------------------------------------------------------------------------------------


@draws("Gemm")
def gemm(d: Draw) -> None:
    m, k, n = d.integer(1, 4), d.integer(1, 4), d.integer(1, 4)
    trans_a, trans_b = d.integer(0, 1), d.integer(0, 1)
    d.x(d.numbers((k, m) if trans_a else (m, k)))
    d.x(d.numbers((n, k) if trans_b else (k, n)), "w")
    if d.opset < 11 or d.maybe(0.7):
        d.x(d.numbers(d.pick((m, n), (n,), (1, n), (m, 1), (1,), ()) if d.opset >= 7 else (m, n)), "c")
    d.attributes.update(transA=trans_a, transB=trans_b)
    d.sometimes(alpha=d.pick(0.5, 2.0, 0.0), beta=d.pick(0.3, 1.5, 0.0))


@draws("MatMul")
def matmul(d: Draw) -> None:
    m, k, n = d.integer(1, 4), d.integer(1, 4), d.integer(1, 4)
    batch = d.shape(0, 2, 3)
    d.x(d.numbers(d.pick((k,), (*part(d, batch), m, k), (*batch, m, k))))
    d.x(d.numbers(d.pick((k,), (*part(d, batch), k, n), (*batch, k, n))), "w")


@draws("Einsum")
def einsum(d: Draw) -> None:
    sizes = dict(zip("abcde", (d.integer(1, 3) for _ in range(5)), strict=True))
    equation = d.pick("ab,bc->ac", "ab,bc", "ab,cb->ca", "abc,cd->abd", "ab,ab->", "ab->ba", "ab->b", "abc,abd->acd",
                      "aab->b", "aa->a", "a,b->ab", "ab,bc,cd->ad", "...a,ab->...b", "abc->")  # fmt: skip
    for name, term in zip("xwv", equation.split("->")[0].split(","), strict=False):
        lead = (2,) if "..." in term else ()
        d.x(d.numbers((*lead, *(sizes[c] for c in term.replace("...", "")))), name)
    d.attributes["equation"] = equation


@draws("LSTM", "GRU", "RNN")
def recurrent(d: Draw) -> None:
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[d.op_type]
    steps, batch, inputs, hidden = d.integer(1, 4), d.integer(1, 3), d.integer(1, 3), d.integer(1, 3)
    direction = d.pick("forward", "reverse", "bidirectional")
    ways = 2 if direction == "bidirectional" else 1
    layout = d.integer(0, 1) if d.opset >= 14 and d.maybe(0.3) else 0
    d.x(d.numbers((batch, steps, inputs) if layout else (steps, batch, inputs)))
    d.x(d.numbers((ways, gates * hidden, inputs)), "w")
    d.x(d.numbers((ways, gates * hidden, hidden)), "r")
    if d.maybe(0.8):
        d.x(d.numbers((ways, 2 * gates * hidden)), "b")
    else:
        d.skip()
    d.skip()
    state = (batch, ways, hidden) if layout else (ways, batch, hidden)
    names = ("h0", "c0") if d.op_type == "LSTM" else ("h0",)
    if d.maybe():
        for name in names:
            d.x(d.numbers(state), name)
    elif d.op_type == "LSTM":
        d.names += ["", ""]
    if d.op_type == "LSTM" and d.maybe(0.3):
        d.x(d.numbers((ways, 3 * hidden)), "p")
    d.attributes.update(hidden_size=hidden, direction=direction)
    if layout:
        d.attributes["layout"] = 1
    if d.op_type == "GRU":
        d.sometimes(linear_before_reset=d.integer(0, 1))
    d.sometimes(clip=d.pick(0.7, 5.0)) if d.maybe(0.1) else None
    d.outputs = 3 if d.op_type == "LSTM" else 2
    d.used = d.integer(0, d.outputs - 1)


# ---- Movement -------------------------------------------------------------------------------------------------------


@draws("Transpose")
def transpose(d: Draw) -> None:
    shape = d.shape(0, 6, 3)
    d.x(d.numbers(shape))
    d.sometimes(perm=[int(a) for a in d.rng.permutation(len(shape))])


@draws("Reshape")
def reshape(d: Draw) -> None:
    shape = d.shape(0, 4)
    d.x(d.numbers(shape))
    total = int(np.prod(shape))
    goal = [int(s) for s in d.rng.permutation(shape)]
    if d.maybe(0.3):
        goal = [total]
    if goal and d.maybe():
        goal[d.integer(0, len(goal) - 1)] = -1
    elif goal and goal[0] == (shape or (0,))[0] and d.maybe():
        goal[0] = 0
    d.constant("shape", np.array(goal, np.int64))
    if d.opset >= 14:
        d.sometimes(allowzero=d.integer(0, 1))


@draws("Flatten")
def flatten(d: Draw) -> None:
    shape = d.shape(1, 5, 3)
    d.x(d.numbers(shape))
    d.sometimes(axis=d.integer(-len(shape) if d.opset >= 11 else 0, len(shape)))


@draws("Squeeze")
def squeeze(d: Draw) -> None:
    shape = tuple(1 if d.maybe() else d.integer(2, 3) for _ in range(d.integer(1, 5)))
    d.x(d.numbers(shape))
    ones = [k for k, size in enumerate(shape) if size == 1]
    if ones and d.maybe(0.8):
        axes = [k - (len(shape) if d.opset >= 11 and d.maybe(0.3) else 0) for k in ones if d.maybe(0.7)] or ones[:1]
        d.as_input(13, "axes", axes)


@draws("Unsqueeze")
def unsqueeze(d: Draw) -> None:
    shape = d.shape(0, 3)
    d.x(d.numbers(shape))
    rank = len(shape) + d.integer(1, 2)
    axes = [int(a) for a in d.rng.permutation(rank)[: rank - len(shape)]]
    d.as_input(13, "axes", [a - (rank if d.opset >= 11 and d.maybe(0.3) else 0) for a in axes])


@draws("Concat")
def concat(d: Draw) -> None:
    shape = list(d.shape(1, 4))
    axis = d.axis(len(shape))
    for name in "xab"[: d.integer(1, 3)]:
        shape[axis] = d.integer(1, 3)
        d.x(d.numbers(shape), name)
    d.attributes["axis"] = axis


@draws("Split")
def split(d: Draw) -> None:
    shape = list(d.shape(1, 4))
    axis = d.axis(len(shape))
    d.outputs = d.integer(1, 3)
    parts = [d.integer(1, 3) for _ in range(d.outputs)]
    is_even = d.maybe()
    shape[axis] = parts[0] * d.outputs if is_even else sum(parts)
    d.x(d.numbers(shape))
    if not is_even:
        d.as_input(13, "split", parts)
    elif d.opset >= 18:
        d.attributes["num_outputs"] = d.outputs
        if d.maybe(0.3):
            d.floats["x"] = d.numbers([*shape[:axis], shape[axis] + 1, *shape[axis:][1:]])
    d.attributes["axis"] = axis
    d.used = d.integer(0, d.outputs - 1)


@draws("Slice")
def slice_(d: Draw) -> None:
    shape = d.shape(1, 4, 5)
    d.x(d.numbers(shape))
    axes = d.axes(len(shape)) or [0]
    sizes = [shape[a] for a in axes]
    steps = [d.pick(1, 1, 2, 3, -1, -2) if d.opset >= 10 else 1 for _ in axes]
    starts, ends = [], []
    for size, step in zip(sizes, steps, strict=True):
        first, last = sorted((d.integer(0, size - 1), d.integer(0, size - 1)))
        start, end = (first, last + 1) if step > 0 else (last, first - 1)
        far = d.maybe(0.2)
        starts.append(start - size if d.maybe(0.3) else start)
        ends.append(
            (2**31 - 1 if step > 0 else -(2**31))
            if far or end < 0
            else end - size
            if end < size and d.maybe(0.3)
            else end
        )
    if d.opset < 10:
        d.attributes.update(starts=starts, ends=ends, axes=axes)
        return
    for name, value in (("starts", starts), ("ends", ends), ("axes", axes), ("steps", steps)):
        d.constant(name, np.array(value, np.int64))


@draws("Pad")
def pad(d: Draw) -> None:
    shape = d.shape(1, 4, 4)
    d.x(d.numbers(shape))
    modes = ("constant", "reflect", "edge", *(("wrap",) if d.opset >= 19 else ()))
    mode = d.pick(*modes)
    rank = len(shape)
    axes = d.axes(rank) or [0]
    with_axes = d.opset >= 18 and d.maybe(0.3)
    sizes = [shape[a] for a in axes] if with_axes else list(shape)
    low = -1 if mode == "constant" and d.maybe(0.2) else 0
    pads = [
        d.integer(low if s > 2 else 0, min(2, s - 1 if mode in ("reflect", "wrap") else 2)) for s in (*sizes, *sizes)
    ]
    if d.opset < 11:
        d.attributes["pads"] = pads
        if mode == "constant":
            d.sometimes(value=1.5)
    else:
        d.constant("pads", np.array(pads, np.int64))
        if with_axes or (mode == "constant" and d.maybe()):
            d.constant("value", np.float32(1.5)) if d.maybe() else d.skip()
        if with_axes:
            d.constant("axes", np.array(axes, d.pick(np.int32, np.int64)))
    d.sometimes(mode=mode) if mode == "constant" else d.attributes.update(mode=mode)


@draws("Tile")
def tile(d: Draw) -> None:
    shape = d.shape(1, 4, 3)
    d.x(d.numbers(shape))
    d.constant("repeats", np.array([d.integer(1, 3) for _ in shape], np.int64))


@draws("Expand")
def expand(d: Draw) -> None:
    full = d.shape(0, 4)
    d.x(d.numbers(part(d, full)))
    d.constant("shape", np.array(part(d, full) if d.maybe(0.2) else full, np.int64))


@draws("Gather")
def gather(d: Draw) -> None:
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    d.x(d.numbers(shape))
    low = -shape[axis] if d.opset >= 11 else 0
    indices = d.rng.integers(low, shape[axis], d.shape(0, 2)).astype(d.pick(np.int32, np.int64))
    (d.data if d.maybe() else d.constant)("i", indices)
    d.sometimes(axis=axis) if axis == 0 else d.attributes.update(axis=axis)


@draws("GatherElements")
def gather_elements(d: Draw) -> None:
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    d.x(d.numbers(shape))
    size = [s if k == axis % len(shape) else d.integer(1, s) for k, s in enumerate(shape)]
    size[axis] = d.integer(1, 4)
    d.data("i", d.rng.integers(-shape[axis], shape[axis], size).astype(d.pick(np.int32, np.int64)))
    d.attributes["axis"] = axis


@draws("GatherND")
def gather_nd(d: Draw) -> None:
    shape = d.shape(1, 4, 3)
    batch = d.integer(0, len(shape) - 1) if d.opset >= 12 else 0
    depth_ = d.integer(1, len(shape) - batch)
    lead = (*shape[:batch], *d.shape(0, 2, 3))
    d.x(d.numbers(shape))
    d.data(
        "i",
        np.stack(
            [d.rng.integers(-s if d.opset >= 11 else 0, s, lead) for s in shape[batch : batch + depth_]], -1
        ).astype(np.int64),
    )
    if d.opset >= 12:
        d.attributes["batch_dims"] = batch


@draws("ScatterElements")
def scatter_elements(d: Draw) -> None:
    shape = d.shape(1, 3)
    axis = d.axis(len(shape))
    d.x(d.numbers(shape))
    size = [d.integer(1, s) for s in shape]
    kinds = ("none", *(("add", "mul") if d.opset >= 16 else ()), *(("max", "min") if d.opset >= 18 else ()))
    kind = d.pick(*kinds)
    high = np.indices(size)[axis] if kind == "none" else d.rng.integers(0, shape[axis], size)
    d.data("i", (high - (shape[axis] if d.maybe(0.3) else 0)).astype(d.pick(np.int32, np.int64)))
    d.x(d.numbers(size), "u")
    d.attributes["axis"] = axis
    if d.opset >= 16:
        d.sometimes(reduction=kind) if kind == "none" else d.attributes.update(reduction=kind)


@draws("ScatterND")
def scatter_nd(d: Draw) -> None:
    shape = d.shape(1, 3)
    depth_ = d.integer(1, len(shape))
    d.x(d.numbers(shape))
    kinds = ("none", *(("add", "mul") if d.opset >= 16 else ()), *(("max", "min") if d.opset >= 18 else ()))
    kind = d.pick(*kinds)
    total = int(np.prod(shape[:depth_]))
    count = d.integer(1, total) if kind == "none" else d.integer(1, 4)
    flat = d.rng.permutation(total)[:count] if kind == "none" else d.rng.integers(0, total, count)
    d.data("i", np.stack(np.unravel_index(flat, shape[:depth_]), -1).astype(np.int64))
    d.x(d.numbers((count, *shape[depth_:])), "u")
    if d.opset >= 16:
        d.sometimes(reduction=kind) if kind == "none" else d.attributes.update(reduction=kind)


@draws("Trilu")
def trilu(d: Draw) -> None:
    d.x(d.numbers(d.shape(2, 4)))
    if d.maybe():
        d.constant("k", np.asarray(d.integer(-4, 4)))
    d.sometimes(upper=d.integer(0, 1))


@draws("Shape", "Size", "NonZero")
def sizes(d: Draw) -> None:
    array = d.numbers(d.shape(1, 4))
    if d.op_type == "NonZero":
        d.constant("x", np.where(array > 0, array, 0))
        return
    d.data("x", array)
    if d.op_type == "Shape" and d.opset >= 15:
        d.sometimes(start=d.integer(-5, 5), end=d.integer(-5, 5))


@draws("Range")
def range_(d: Draw) -> None:
    kind = d.pick(np.float32, np.int64, np.int32)
    for name, value in zip(
        ("start", "limit", "delta"), d.pick((0, 5, 1), (5, 0, -2), (-1, 4, 2), (2, 2, 1)), strict=True
    ):
        d.constant(name, kind(value))


@draws("ConstantOfShape")
def constant_of_shape(d: Draw) -> None:
    d.constant("shape", np.array(d.shape(0, 3), np.int64))
    d.sometimes(value=numpy_helper.from_array(np.array([d.pick(1.5, 0.0)], np.float32)))


# ---- Losses, integers -----------------------------------------------------------------------------------------------


@draws("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def classes_loss(d: Draw) -> None:
    batch, classes, rest = d.integer(1, 4), d.integer(2, 4), d.shape(0, 2, 3)
    d.x(d.numbers((batch, classes, *rest)))
    labels = d.rng.integers(0, classes, (batch, *rest)).astype(d.pick(np.int32, np.int64))
    ignored = d.pick(None, 0, -1, 255)
    if ignored is not None:
        labels[d.rng.random(labels.shape) < 0.3] = ignored
        d.attributes["ignore_index"] = ignored
    d.data("i", labels)
    if d.maybe():
        d.constant("weight", d.numbers((classes,), 0.5, 2.0))
    d.sometimes(reduction=d.pick("mean", "sum", "none"))
    if d.op_type == "SoftmaxCrossEntropyLoss":
        d.outputs = d.integer(1, 2)
        d.used = d.outputs - 1


@draws("Dropout")
def dropout(d: Draw) -> None:
    """Inference alone: the masks of training are our own."""
    d.x(d.numbers(d.shape(1, 4)))
    if d.opset >= 12:
        if d.maybe():
            d.constant("ratio", np.float32(d.pick(0.0, 0.5)))
        d.sometimes(seed=3)
    else:
        d.sometimes(ratio=0.3)


@draws("DequantizeLinear")
def dequantize(d: Draw) -> None:
    shape = d.shape(1, 3)
    kind = d.pick(np.int8, np.uint8)
    low, high = np.iinfo(kind).min, np.iinfo(kind).max
    axis = d.axis(len(shape)) if d.opset >= 13 and d.maybe() else None
    count = () if axis is None else (shape[axis],)
    d.data("x", d.rng.integers(low, high + 1, shape).astype(kind))
    d.constant("scale", d.numbers(count, 0.01, 0.1))
    if d.maybe(0.7):
        d.constant("zero", d.rng.integers(low // 4, high // 4, count).astype(kind))
    if axis is not None:
        d.attributes["axis"] = axis


@draws("QuantizeLinear")
def quantize(d: Draw) -> None:
    """Its result is dequantized with a scale of 1, because the runtime casts no bytes."""
    kind = d.pick(np.int8, np.uint8)
    d.data("x", d.numbers(d.shape(1, 3)))
    d.constant("scale", d.numbers((), 0.01, 0.1))
    d.constant("zero", np.asarray(d.integer(0, 100), kind))
    d.dequantizes = True
