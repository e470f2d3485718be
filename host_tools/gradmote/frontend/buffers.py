"""The rule that decides which float32 constants of a model train: layer weights do, tables of its code do not.

An ONNX file does not say which of its constants were parameters and which were buffers. Role comes first: what a
layer uses as its weight, bias, scale, shift or slope trains, whatever its numbers are. Only without a role does
form decide: tables of cosines and sines, evenly or geometrically spaced grids, integers, masks, numbers that
normalize the model's input, and equal numbers under an exporter-made name do not train. All else trains; a constant
with neither a role nor such a form is `unsure`, for the user to decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from ..ir.graph import origin

#: Operator -> the inputs for a layer's own weights, biases, scales and slopes.
LAYER_INPUTS = {
    "Attention": (1, 2),
    "BatchNormalization": (1, 2, 3, 4),
    "Conv": (1, 2),
    "ConvTranspose": (1, 2),
    "DeformConv": (1, 3),
    "Einsum": (0, 1, 2, 3),
    "GRU": (1, 2, 3),
    "Gather": (0,),
    "Gemm": (0, 1, 2),
    "GroupNorm": (1, 2),
    "GroupNormalization": (1, 2),
    "InstanceNormalization": (1, 2),
    "LSTM": (1, 2, 3, 7),
    "LayerNormalization": (1, 2),
    "MatMul": (0, 1),
    "PRelu": (1,),
    "QuantizeLinear": (0,),
    "RMSNormalization": (1,),
    "RNN": (1, 2, 3),
    "SimplifiedLayerNormalization": (1,),
    "SkipLayerNormalization": (2, 3, 4),
}
#: Layers to whose result a bias may be added.
PRODUCTS = ("Conv", "ConvTranspose", "Einsum", "Gemm", "MatMul")
#: Operators that change the form of a tensor but not its numbers.
VIEWS = ("Cast", "Expand", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze")
#: Names that exporters give to computed values: val_13, tmp_2, onnx::Mul_12, unsqueeze_14, /layer/Constant_output_0.
COMPUTED = re.compile(
    r"(val|tmp|unsqueeze|view|expand|reshape|slice|clone|lift_fresh_copy|_?tensor_constant)_?\d*|onnx::.*|.*/.*_output_\d+"
)
ELEMENTWISE = ("Add", "Sub", "Mul", "Div")
#: Numbers at or below it, beside zeros, are not weights: they drop scores before a Softmax.
DROPPED = -10.0


@dataclass
class Roles:
    """The float32 constants of a graph that could train, by role."""

    layers: set[str] = field(default_factory=set)  #: a layer's own
    buffers: set[str] = field(default_factory=set)  #: do not train
    unsure: list[str] = field(default_factory=list)  #: train, though nothing shows that they should


def roles_of(graph: ir.Graph, names: Iterable[str]) -> Roles:
    """Return the roles of these initializers, as the graph's nodes use them; single elements have no form."""
    found, without = Roles(), list[ir.Value]()
    for name in names:
        value = graph.initializers[name]
        if has_role(value):
            found.layers.add(name)
        else:
            without.append(value)
    found.buffers.update(
        str(v.name) for v in (*tables(without, graph), *rotations(without), *input_scaling(without, found.layers))
    )
    for value in without:
        if value.name not in found.buffers and value.const_value.size > 1:  # type: ignore[union-attr]
            if has_form(value):
                found.buffers.add(str(value.name))
            elif not is_gain(value):
                found.unsure.append(str(value.name))
    return found


# ---- Roles


def seen(value: ir.Value) -> Iterator[tuple[ir.Node, int]]:
    """Yield each node that takes the value, or a view of it, and the index of that input."""
    for use in value.uses():
        if use.node.op_type in VIEWS and use.idx == 0:
            yield from seen(use.node.outputs[0])
        else:
            yield use.node, use.idx


def has_role(value: ir.Value) -> bool:
    """Return whether a layer uses the value as its weight, bias, scale, shift or slope."""
    uses = list(seen(value))
    return any(index in LAYER_INPUTS.get(node.op_type, ()) for node, index in uses) or (
        is_vector(value) and any(is_bias_or_scale(node, index) for node, index in uses)
    )


def is_factor(value: ir.Value) -> bool:
    """Return whether a layer multiplies its input by the value."""
    return any(node.op_type in PRODUCTS and index <= 1 for node, index in seen(value))


def is_bias_or_scale(node: ir.Node, index: int) -> bool:
    """Return whether the node adds that input to a layer's result, or scales or shifts a normalized value with it."""
    if node.op_type not in ("Add", "Mul"):
        return False
    other = origin(node.inputs[1 - index], VIEWS)
    made = other.producer() if other is not None else None
    if made is None:
        return False
    if node.op_type == "Mul":
        return is_normalized(made)
    scales = made.op_type == "Mul" and any(is_normalized(p) for v in made.inputs if (p := producer(v)) is not None)
    return scales or is_normalized(made) or (made.op_type in PRODUCTS and has_weight(made))


def has_weight(node: ir.Node) -> bool:
    """Return whether a product is that of a layer: one of its factors is a constant."""
    return any(map(is_constant, node.inputs[:2]))


def is_constant(value: ir.Value | None) -> bool:
    """Return whether the value is a constant, or a view of one."""
    found = origin(value, VIEWS)
    return found is not None and found.const_value is not None


def is_normalized(node: ir.Node) -> bool:
    """Return whether the node divides by a square root, as in a normalization that an exporter wrote out."""
    if node.op_type == "Div":
        return is_root(producer(node.inputs[1]))
    return node.op_type == "Mul" and any(
        made is not None
        and (
            (made.op_type == "Reciprocal" and is_root(producer(made.inputs[0])))
            or (made.op_type == "Div" and is_root(producer(made.inputs[1])))
            or made.op_type == "Pow"
        )
        for made in map(producer, node.inputs)
    )


def is_root(node: ir.Node | None) -> bool:
    """Return whether the node takes a square root, perhaps of a sum with an epsilon."""
    if node is not None and node.op_type in ("Add", "Clip", "Max"):
        return any(is_root(producer(v)) for v in node.inputs[:2])
    return node is not None and node.op_type in ("Sqrt", "Pow", "ReduceL2")


def is_gain(value: ir.Value) -> bool:
    """Return whether the value scales or shifts the channels of a layer's result, as learnable gains do."""
    return is_vector(value) and any(
        node.op_type in ELEMENTWISE and depends_on_layer(node.inputs[1 - index]) for node, index in seen(value)
    )


def depends_on_layer(value: ir.Value | None) -> bool:
    """Return whether the value depends on a layer with weights."""
    pending, visited = [value], set[ir.Node]()
    while pending:
        node = producer(pending.pop())
        if node is None or node in visited:
            continue
        if node.op_type in LAYER_INPUTS and has_weight(node):
            return True
        visited.add(node)
        pending.extend(node.inputs)
    return False


def is_vector(value: ir.Value) -> bool:
    """Return whether at most one dimension is above 1."""
    return sum(dim != 1 for dim in array_of(value).shape) <= 1


def producer(value: ir.Value | None) -> ir.Node | None:
    """Return the maker of the value that this one is a view of; None for an input or a constant."""
    found = origin(value, VIEWS)
    return found.producer() if found is not None else None


# ---- Forms


def array_of(value: ir.Value) -> np.ndarray:
    """Return the numbers of a constant."""
    return value.const_value.numpy()  # type: ignore[union-attr]


def has_form(value: ir.Value) -> bool:
    """Return whether the numbers form a table, a grid or a mask, or are equal under an exporter-made name."""
    array = array_of(value)
    if (array == array.flat[0]).all():
        return COMPUTED.fullmatch(str(value.name)) is not None
    return is_integer(array) or is_spaced(array) or is_dropping(array)


def is_integer(array: np.ndarray) -> bool:
    """Return whether all numbers are whole."""
    return bool(np.isfinite(array).all() and (array == np.rint(array)).all())


def is_dropping(array: np.ndarray) -> bool:
    """Return whether the numbers are zeros and one number far below them."""
    return float(array.max()) == 0 and bool(np.isin(array, (0, array.min())).all()) and float(array.min()) <= DROPPED


def is_spaced(array: np.ndarray) -> bool:
    """Return whether the numbers along an axis form a grid, with equal differences or equal ratios."""
    positive = bool((array > 0).all())
    return is_even(array, 3) or (positive and is_even(np.log(array.astype(np.float64)), 4))


def is_even(array: np.ndarray, least: int) -> bool:
    """Return whether differences along an axis of at least that length are equal and not 0."""
    for axis in range(array.ndim):
        steps = np.diff(array.astype(np.float64), axis=axis)
        if array.shape[axis] >= least and steps.all():
            mean = steps.mean(axis=axis, keepdims=True)
            if (np.abs(steps - mean) <= 1e-5 * np.abs(array).max() + 1e-4 * np.abs(mean)).all() and mean.all():
                return True
    return False


def tables(without: Sequence[ir.Value], graph: ir.Graph) -> Iterator[ir.Value]:
    """Yield tables of cosines and sines: two of one shape, or one with both, interleaved or in halves.

    Tables that positions select from are included, though embeddings are used the same way.
    """
    embedded = (v for n, v in graph.initializers.items() if n not in {w.name for w in without})
    found = [v for v in (*without, *(v for v in embedded if is_embedding(v))) if is_wave(v)]
    for number, value in enumerate(found):
        array = array_of(value)
        others = (array_of(v) for i, v in enumerate(found) if i != number)
        if any(is_on_circle(array, other) for other in others) or any(is_on_circle(*pair) for pair in halves(array)):
            yield value


def rotations(without: Sequence[ir.Value]) -> Iterator[ir.Value]:
    """Yield tables of rotations: two of one shape, with numbers from -1 to 1, which multiply two terms of a sum."""
    known = [v for v in without if not is_vector(v) and float(np.abs(array_of(v)).max()) <= 1]
    sums = {id(v): {id(node) for node in sums_with(v)} for v in known}
    for value in known:
        others = (v for v in known if v is not value and array_of(v).shape == array_of(value).shape)
        if any(sums[id(value)] & sums[id(other)] for other in others):
            yield value


def sums_with(value: ir.Value) -> Iterator[ir.Node]:
    """Yield the sums and differences with a product with the value as a term."""
    for node, _ in seen(value):
        if node.op_type == "Mul":
            yield from (use.node for use in node.outputs[0].uses() if use.node.op_type in ("Add", "Sub"))


def is_embedding(value: ir.Value) -> bool:
    """Return whether only indices select from a float32 constant."""
    data = value.const_value
    uses = list(seen(value))
    return (
        data is not None
        and data.dtype == ir.DataType.FLOAT
        and all(n.op_type == "Gather" for n, _ in uses)
        and bool(uses)
    )


def is_wave(value: ir.Value) -> bool:
    """Return whether the numbers could be cosines or sines, and are not all equal."""
    array = array_of(value)
    return array.size >= 4 and float(np.abs(array).max()) <= 8 and not (array == array.flat[0]).all()


def halves(array: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield both halves of the last axis: by alternating elements, and by first and second half."""
    size = array.shape[-1]
    if size % 2 == 0 and array.size > 4:
        yield array[..., ::2], array[..., 1::2]
        yield array[..., : size // 2], array[..., size // 2 :]


def is_on_circle(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether the sums of squares are all equal, as for a cosine and a sine."""
    if one.shape != other.shape:
        return False
    squares = one.astype(np.float64) ** 2 + other.astype(np.float64) ** 2
    radius = float(squares.flat[0])
    return radius > 0 and bool((np.abs(squares - radius) <= 1e-3 * radius).all())


def input_scaling(without: Sequence[ir.Value], layers: set[str]) -> Iterator[ir.Value]:
    """Yield the constants that normalize the model's input before its layers: a subtracted mean, a divisor.

    A single factor or sum may be a layer of its own, and so may all of them if the model has no other layer.
    """
    if not layers:
        return
    raw = [v for v in without if any(is_raw(node.inputs[1 - index]) for node, index in scalings(v))]
    if any(node.op_type in ("Sub", "Div") for v in raw for node, _ in scalings(v)):
        yield from raw


def scalings(value: ir.Value) -> list[tuple[ir.Node, int]]:
    """Return the binary elementwise nodes that take the value, for Sub and Div only as the second input."""
    found = ((node, index) for node, index in seen(value) if node.op_type in ELEMENTWISE)
    return [(node, index) for node, index in found if index == 1 or node.op_type in ("Add", "Mul")]


def is_raw(value: ir.Value | None) -> bool:
    """Return whether the value is an input of the graph, up to views and constants that scale and shift it."""
    while (node := producer(value)) is not None:
        if node.op_type not in ELEMENTWISE:
            return False
        constant = [i for i, v in enumerate(node.inputs) if is_constant(v)]
        if len(constant) != 1:
            return False
        value = node.inputs[1 - constant[0]]
    found = origin(value, VIEWS)
    return found is not None and found.is_graph_input() and found.const_value is None
