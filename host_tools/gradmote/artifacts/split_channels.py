"""The pass that splits layers into output channels that train and output channels that do not.

    y = Conv(x, w, b)   becomes   y = Concat(Conv(x, w[0:k], b[0:k]), Conv(x, w[k:M], b[k:M]))

The first k = ceil(ratio M) channels train. Frozen rows stay constant; trained rows are parameters
named `w[0:k]`, or `w[:,0:k]` if the channels are the second axis of the weight. A bias that should
train whole becomes two parameters, b[0:k] and b[k:M]. A grouped convolution trains whole groups: k
is rounded up to them, and x is split too.

A quantized weight is split with its scales, so that each part has a DequantizeLinear of its own.
Quantized results are joined as integers: both parts are int8 convolutions with adjacent results.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import onnx_ir as ir

from ..errors import ModelError, UnsupportedOperator
from ..frontend.parameters import candidates
from ..frontend.registry import attach_functions
from ..frontend.shapes import infer_shapes
from ..ir.affine import affine_of, is_quantizer
from ..ir.graph import Builder, attribute, constant_array, describe, prune, sort_nodes, take_over
from ..ir.metadata import WEIGHTS
from ..ir.verify import verify_graph
from ..rewrite.layers import inherited

#: Operators between a weight and its layer that leave its channels unchanged.
STEPS = ("Transpose", "DequantizeLinear")
#: Ratios such as 1 - 0.9 miss a whole number of channels by less than this.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Channels:
    """The output channels of a node: axis in weight and output, number of channels, number of groups."""

    weight_axis: int
    output_axis: int
    count: int
    groups: int = 1

    def trained(self, ratio: float) -> int:
        """Return the number of trained channels: ceil(ratio count), rounded up to whole groups."""
        unit = self.count // self.groups if self.groups > 1 else 1
        return math.ceil(math.ceil(ratio * self.count - ROUNDING) / unit) * unit


def run(model: ir.Model, shares: Mapping[str, float], whole: Sequence[str]) -> tuple[ir.Model, list[str]]:
    """Split the layer of each weight that has a share; return the model and all names that train.

    `whole` names what trains whole. The returned names are in the model's order. Raises
    UnsupportedOperator for a layer without output channels of its own, such as an LSTM.
    """
    splitter = Splitter(model.graph, shares, whole)
    with inherited(model.graph):
        for node in list(model.graph):
            if any(origin_name(value) in shares for value in node.inputs) and node.op_type not in STEPS:
                splitter.split(node)
        prune(model.graph)
        sort_nodes(model.graph)
    verify_graph(model.graph)
    own = splitter.weights()
    WEIGHTS.write(model.graph, own)
    names = [name for name in own if name in {*whole, *splitter.trained}]
    return infer_shapes(attach_functions(model)), names


def origin_name(value: ir.Value | None) -> str | None:
    """Return the name of the value that STEPS turn into this one."""
    return Path.to(value).source.name if value is not None else None


@dataclass(frozen=True)
class Path:
    """The nodes of STEPS between a source and a value, in order."""

    source: ir.Value
    nodes: tuple[ir.Node, ...]

    @classmethod
    def to(cls, value: ir.Value) -> Path:
        """Return the path to a value."""
        node = value.producer()
        if node is None or node.domain or node.op_type not in STEPS or node.inputs[0] is None:
            return cls(value, ())
        above = cls.to(node.inputs[0])
        return cls(above.source, (*above.nodes, node))

    def axes(self, axis: int) -> list[int]:
        """Return the position of an axis of the last value in the source and after each node."""
        found = [axis]
        for node in reversed(self.nodes):
            shape = node.inputs[0].shape
            perm = attribute(node, "perm", list(reversed(range(len(shape or ())))))
            found.insert(0, perm[found[0]] if node.op_type == "Transpose" else found[0])
        return found

    def is_used_once(self) -> bool:
        """Return whether nothing else reads the source or an intermediate value."""
        return all(len(list(v.uses())) == 1 for v in (self.source, *(n.outputs[0] for n in self.nodes)))


def quantizing_steps(y: ir.Value) -> list[ir.Node]:
    """Return the nodes from y to the integers that its elements become, in order; none if it stays float."""
    steps: list[ir.Node] = []
    while (step := only_reader(y)) is not None and is_elementwise(step):
        steps.append(step)
        y = step.outputs[0]
    return steps if any(map(is_quantizer, steps)) else []


def only_reader(y: ir.Value) -> ir.Node | None:
    """Return the node that is the value's only reader, or None."""
    uses = list(y.uses())
    return uses[0].node if len(uses) == 1 and uses[0].idx == 0 and not y.is_graph_output() else None


def is_elementwise(node: ir.Node) -> bool:
    """Return whether a node bounds or quantizes all elements of its input alike."""
    if is_quantizer(node):
        affine = affine_of(node)
        return affine is not None and affine.axis is None
    fixed = all(value is None or constant_array(value) is not None for value in node.inputs[1:])
    return not node.domain and node.op_type in ("Relu", "Clip") and fixed


def channels_of(node: ir.Node, names: Collection[str]) -> Channels:
    """Return the output channels that the named weight makes.

    Raises UnsupportedOperator if it is not the weight that makes the node's output channels.
    """
    w = node.inputs[1] if len(node.inputs) > 1 else None
    alone = w is not None and origin_name(w) in names and origin_name(node.inputs[0]) not in names
    shape = [int(d) for d in w.shape] if w is not None and w.shape is not None and alone else []
    groups = attribute(node, "group", 1)
    if alone and node.op_type == "Conv":
        return Channels(0, 1, shape[0], groups)
    if alone and node.op_type == "ConvTranspose" and groups == 1:
        return Channels(1, 1, shape[1])
    if alone and node.op_type == "Gemm":
        axis = 1 - attribute(node, "transB", 0)
        return Channels(axis, 1, shape[axis])
    if alone and node.op_type == "MatMul" and len(shape) == 2:
        return Channels(1, -1, shape[1])
    raise UnsupportedOperator(
        f"{node.op_type}{f' of {groups} groups' if groups > 1 else ''} cannot train some of its output channels",
        "train fewer layers (sparse:RATIO:last:N), or choose weights with named:NAME,...",
        describe(node),
    )


class Splitter:
    """The splits made in one graph.

    `trained` holds names in the order in which the graph uses them.
    """

    def __init__(self, graph: ir.Graph, shares: Mapping[str, float], whole: Sequence[str]) -> None:
        """Start with no weight split.

        `shares` has the trained share of channels of each weight, `whole` names what trains whole.
        """
        self.graph, self.shares, self.whole, self.builder = graph, shares, set(whole), Builder(graph)
        self.own = set(candidates(graph))
        self.parts: dict[tuple[str, int, int], list[ir.Value]] = {}
        self.trained: dict[str, None] = {}

    def weights(self) -> list[str]:
        """Return the names of the model's own weights, with parts instead of split weights."""
        parts: dict[str, list[str]] = {}
        for (name, *_), made in self.parts.items():
            parts.setdefault(name, []).extend(str(part.name) for part in made)
        noted = WEIGHTS.read(self.graph) or sorted(self.own)
        return [part for name in noted for part in parts.get(name, [name])]

    def split(self, node: ir.Node) -> None:
        """Replace a node with a trained and a frozen one, and concatenate their outputs.

        A node whose channels all train stays as it is.
        """
        channels = channels_of(node, self.shares)
        k = channels.trained(self.shares[str(origin_name(node.inputs[1]))])
        bias = node.inputs[2] if len(node.inputs) > 2 else None
        if k == channels.count:
            whole = (origin_name(node.inputs[1]), origin_name(bias))
            self.trained.update(dict.fromkeys(n for n in whole if n is not None and n in self.own))
            return
        xs, ws = self.input(node, channels, k), self.weight(node, channels, k)
        bs, counts = self.bias(node, bias, channels, k), (k, channels.count - k)
        parts = [self.part(node, *of, channels) for of in zip(xs, ws, bs, counts, strict=True)]
        self.join(node.outputs[0], parts, channels.output_axis)

    def join(self, y: ir.Value, parts: list[ir.Value], axis: int) -> None:
        """Replace y with the concatenated parts. If y is quantized, quantize each part separately first."""
        for step in quantizing_steps(y):
            parts = [self.repeated(step, part, axis, slice(0)) for part in parts]
            y = step.outputs[0]
        take_over(self.graph, y, self.builder.op("Concat", *parts, name=f"{y.name}.joined", axis=axis))

    def part(
        self, node: ir.Node, x: ir.Value, w: ir.Value, b: ir.Value | None, count: int, channels: Channels
    ) -> ir.Value:
        """Return the output of a copy of the node with `count` of its channels."""
        attributes = {a.name: a.value for a in node.attributes.values()}
        if channels.groups > 1:
            attributes["group"] = channels.groups * count // channels.count
        inputs = [x, w] if b is None else [x, w, b]
        return self.builder.op(node.op_type, *inputs, name=f"{node.outputs[0].name}.part", **attributes)

    def input(self, node: ir.Node, channels: Channels, k: int) -> Sequence[ir.Value]:
        """Return x for both parts; with groups, each has the channels of its own groups."""
        x = node.inputs[0]
        assert x is not None
        if channels.groups == 1:
            return [x, x]
        inputs = int(node.inputs[1].shape[1]) * channels.groups
        first = inputs * k // channels.count
        sizes = self.builder.constant([first, inputs - first], f"{x.name}.sizes")
        return self.builder.ops("Split", x, sizes, names=[f"{x.name}.part"] * 2, axis=1)

    def weight(self, node: ir.Node, channels: Channels, k: int) -> list[ir.Value]:
        """Return both parts of the weight, transposed and dequantized as in the node."""
        w = node.inputs[1]
        assert w is not None
        return self.parts_along(node, Path.to(w), channels.weight_axis, k)

    def parts_along(self, node: ir.Node, path: Path, axis: int, k: int, trains: int = 1) -> list[ir.Value]:
        """Return both parts of the value that a path makes; `axis` is that of the value.

        `trains` is the number of parts that train.
        """
        axes = path.axes(axis)
        parts = self.cut(node, path.source, axes[0], k, trains)
        for step, at in zip(path.nodes, axes[1:], strict=True):
            bounds = (slice(0, k), slice(k, None))
            parts = [self.repeated(step, part, at, bound) for part, bound in zip(parts, bounds, strict=True)]
        return parts

    def repeated(self, step: ir.Node, part: ir.Value, axis: int, bounds: slice) -> ir.Value:
        """Return the output of a copy of a node for one part; per-channel scales are cut too."""
        attributes = {a.name: a.value for a in step.attributes.values()}
        affine = affine_of(step) if step.op_type == "DequantizeLinear" else None
        inputs = list(step.inputs[1:])
        if affine is not None and affine.axis == axis:
            names = (f"{part.name}.scale", f"{part.name}.zero")
            arrays = (affine.scale[bounds], affine.zero[bounds])
            inputs = [self.builder.constant(a, n) for a, n in zip(arrays, names, strict=True)]
        return self.builder.op(step.op_type, part, *inputs, name=f"{step.outputs[0].name}.part", **attributes)

    def bias(self, node: ir.Node, bias: ir.Value | None, channels: Channels, k: int) -> Sequence[ir.Value | None]:
        """Return both parts of the bias.

        A bias of one number for all channels serves both and does not train. Neither does a bias that other
        nodes add too, since exporters merge equal tensors. Both parts train if the bias should train whole.
        Raises UnsupportedOperator for a computed bias.
        """
        if bias is None:
            return [None, None]
        path = Path.to(bias)
        array = constant_array(path.source)
        if array is None:
            raise UnsupportedOperator(
                f"the bias '{bias.name}' is computed, so none of its channels can be trained",
                "train fewer layers (sparse:RATIO:last:N), or make it an initializer",
                describe(node),
            )
        if array.ndim == 0 or array.shape[-1] != channels.count:
            return [bias, bias]
        return self.parts_along(node, path, array.ndim - 1, k, self.trained_parts(path))

    def trained_parts(self, path: Path) -> int:
        """Return how many parts of a bias train.

        Raises ModelError for one that several nodes add, and that should train whole.
        """
        name, is_own = str(path.source.name), path.is_used_once()
        if name in self.whole and not is_own:
            hint = "leave it out, or give each layer a bias of its own: --untie (untie=True)"
            raise ModelError(f"'{name}' cannot be trained whole: several layers add it, and one is split", hint)
        return 2 if name in self.whole else int(is_own)

    def cut(self, node: ir.Node, value: ir.Value, axis: int, k: int, trains: int = 1) -> list[ir.Value]:
        """Return the first k along `axis`, and the rest; the first `trains` of both train.

        A weight that several layers share is cut once. Raises UnsupportedOperator if they have their
        channels along different axes, or other groups of them.
        """
        name, array = str(value.name), constant_array(value)
        assert array is not None
        if trains and any(other == name and where != [axis, k] for other, *where in self.parts):
            raise UnsupportedOperator(
                f"layers share the weight '{name}', but use other output channels of it, or another axis",
                "train it whole: named:NAME,...",
                describe(node),
            )
        if (name, axis, k) not in self.parts:
            bounds = ((0, k), (k, array.shape[axis]))
            texts = [f"{name}[{':,' * axis}{start}:{end}]" for start, end in bounds]
            parts = [self.builder.constant(array.take(range(*b), axis), t) for b, t in zip(bounds, texts, strict=True)]
            self.parts[name, axis, k] = parts
            self.trained.update(dict.fromkeys(str(part.name) for part in parts[:trains] if name in self.own))
        return self.parts[name, axis, k]
