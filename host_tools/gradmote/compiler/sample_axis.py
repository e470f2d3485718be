"""The axis of samples: which values have a row for each sample, and which nodes join samples.

A program can count fewer samples than its batch if each sample goes its own way up to the loss. Then
only few instructions join samples: losses, sums over the whole batch, and batch statistics. They run on
the first rows (gm_begin_rows). This module follows the axis of samples from the inputs through a graph
with fixed shapes. Along it, index i belongs to sample i // k % batch: k is 1, or more if a reshape has merged
axes after that of samples, and the samples repeat if it has merged axes before it, as recurrent layers do
with time. Values without such an axis are the same as for a smaller batch.

A program that joins samples in any other way, or computes with the size of the batch, takes whole
batches only.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from ..ir.graph import attribute, constant_array, describe, static_shape
from ..ir.loops import spans
from ..ir.metadata import BACKWARD
from ..ir.program import Compiled
from ..operators.reduce_sum import reduced_axes

log = logging.getLogger(__name__)

#: The opcodes that gm_begin_rows() shortens, as runtime_c/src/rows.c lists them.
JOINING = frozenset({
    "SOFTMAX_CROSS_ENTROPY", "SOFTMAX_CROSS_ENTROPY_GRAD", "SOFTMAX_CROSS_ENTROPY_WITH_GRAD",
    "SOFTMAX_CROSS_ENTROPY_PLAIN", "MOMENTS", "NORMALIZE_GRAD", "MSE_LOSS", "MSE_LOSS_GRAD", "L1_LOSS",
    "L1_LOSS_GRAD", "BCE_WITH_LOGITS_LOSS", "BCE_WITH_LOGITS_LOSS_GRAD", "SUM", "SUM_GRAD",
})  # fmt: skip


class Joined(Exception):
    """A node joins samples in a way that the runtime cannot shorten; the text names it."""


@dataclass
class Samples:
    """The axes of samples in one graph, and the reductions that sum over all samples.

    `axes` has the values with such an axis, `repeats` how often the samples repeat along it if not once. `alike`
    has axes of computed values without samples along which all elements are equal, counted from the last one.
    """

    batch: int
    axes: dict[ir.Value, int] = field(default_factory=dict)
    repeats: dict[ir.Value, int] = field(default_factory=dict)
    alike: dict[ir.Value, set[int]] = field(default_factory=dict)
    sums: set[ir.Node] = field(default_factory=set)

    def axis(self, value: ir.Value | None) -> int | None:
        """Return the value's axis of samples, or None."""
        return None if value is None else self.axes.get(value)

    def leads(self, value: ir.Value | None) -> bool:
        """Return whether the first axis has the samples, each in one place."""
        return self.axis(value) == 0 and value not in self.repeats

    def is_sum(self, node: ir.Node) -> bool:
        """Return whether a reduction sums over all samples."""
        return node in self.sums

    def is_spread(self, node: ir.Node) -> bool:
        """Return whether a gradient (dy, x) spreads one number over x, which has an axis of samples."""
        dy, x = node.inputs
        return x in self.axes and math.prod(static_shape(dy)) == 1  # type: ignore[arg-type]

    def rows(self, values: list[ir.Value]) -> frozenset[str]:
        """Return the names of those values whose first dimension counts samples one by one."""
        return frozenset(str(v.name) for v in values if self.axes.get(v) == 0 and static_shape(v)[0] == self.batch)


def find_samples(model: ir.Model, graph: ir.Graph, batch: int | None, dims: Mapping[str, int]) -> Samples | None:
    """Return the samples of a graph, or None if its program takes whole batches only.

    model: the graph's model before its shapes were fixed; only inputs with an open first dimension have samples.
    """
    if batch is None or batch == 1:
        return None
    given = {str(v.name) for v in model.graph.inputs if is_open(v, dims)}
    found = Samples(batch, {v: 0 for v in graph.inputs if v.name in given})
    try:
        for node in graph:
            if not BACKWARD.stands_in(node):
                follow(found, node)
        check_sizes(model.graph, {str(v.name): axis for v, axis in found.axes.items()})
    except Joined as joined:
        log.info("samples depend on each other, so steps take whole batches: %s", joined)
        return None
    return found if found.axes else None


def is_open(value: ir.Value, dims: Mapping[str, int]) -> bool:
    """Return whether the batch is the first dimension of an input."""
    if value.is_initializer() or value.shape is None or not len(value.shape):
        return False
    first = value.shape[0]
    return not isinstance(first, int) and str(first.value) not in dims


def follow(found: Samples, node: ir.Node) -> None:
    """Give the node's outputs their axes. Raises Joined if samples meet in the node."""
    if all(found.axis(value) is None for value in node.inputs):
        note_alike(found, node)
        return
    rule = RULES.get(node.op_type)
    if rule is None:
        raise Joined(f"{describe(node)} may join them")
    repeats = {found.repeats.get(v, 1) for v in node.inputs if v in found.axes}
    for value, axis in rule(found, node).items():
        if axis is not None and value.name:
            if static_shape(value)[axis] % found.batch or len(repeats) > 1:
                raise Joined(describe(node))
            found.axes[value] = axis
            if found.repeats.setdefault(value, *repeats) == 1:
                del found.repeats[value]


# ---- Rules: the axes of a node's outputs

Axes = dict[ir.Value, "int | None"]
Rule = Callable[[Samples, ir.Node], Axes]


def everywhere(node: ir.Node, axis: int | None) -> Axes:
    """Return this axis for all outputs."""
    return dict.fromkeys(node.outputs, axis)


def aligned(found: Samples, node: ir.Node) -> Axes:
    """Return the axis that inputs have in common once they are broadcast to the output's shape."""
    return everywhere(node, common_axis(found, node, list(node.inputs), len(static_shape(node.outputs[0]))))


def common_axis(found: Samples, node: ir.Node, inputs: list[ir.Value | None], rank: int) -> int:
    """Return the axis of samples of inputs broadcast to `rank` dimensions. Raises Joined if they differ."""
    axes = {axis + rank - len(static_shape(v)) for v in inputs if v is not None and (axis := found.axis(v)) is not None}
    if len(axes) != 1:
        raise Joined(f"{describe(node)} joins different axes")
    axis = axes.pop()
    for value in inputs:
        if value is not None and found.axis(value) is None and not is_same_along(found, value, axis - rank):
            raise Joined(f"'{value.name}' has a number for each sample of {describe(node)}")
    return axis


def is_same_along(found: Samples, value: ir.Value, from_last: int) -> bool:
    """Return whether all elements of a value along an axis are one, or equal: constants, or computed from such."""
    shape = static_shape(value)
    if len(shape) < -from_last or shape[from_last] == 1:
        return True
    data = constant_array(value)
    if data is not None:
        return bool((data == np.take(data, [0], axis=from_last)).all())
    return from_last in found.alike.get(value, ())


def note_alike(found: Samples, node: ir.Node) -> None:
    """Note the axes, counted from the last one, along which a node without samples repeats what it computes."""
    y = node.outputs[0]
    if node.op_type in EACH:
        given, axes = list(node.inputs), set(range(-len(static_shape(y)), 0))
    elif node.op_type in ("Gemm", "MatMul") and not attribute(node, "transA", 0):
        given, axes = [node.inputs[0], *node.inputs[2:]], {-2}
    else:
        return
    found.alike[y] = {a for a in axes if all(is_same_along(found, v, a) for v in given if v is not None)}


def first(found: Samples, node: ir.Node) -> Axes:
    """Return axis 0 if the first input has samples there, and no other input has any."""
    if not found.leads(node.inputs[0]) or any(found.axis(v) is not None for v in node.inputs[1:]):
        raise Joined(describe(node))
    return everywhere(node, 0)


def like_first(found: Samples, node: ir.Node) -> Axes:
    """Return the first input's axis if no other input has samples, and all shapes are its own."""
    if any(found.axis(v) is not None for v in node.inputs[1:]):
        raise Joined(describe(node))
    return everywhere(node, found.axis(node.inputs[0]))


def statistics(found: Samples, node: ir.Node) -> Axes:
    """Return no axes for the moments of a batch."""
    first(found, node)
    return everywhere(node, None)


def loss_over(count: int) -> Callable[[bool], Rule]:
    """Return the maker of a rule for a loss whose first `count` inputs have a row for each sample."""

    def maker(is_reduced: bool) -> Rule:
        def rule(found: Samples, node: ir.Node) -> Axes:
            rest = [v for v in node.inputs[count:] if found.axis(v) is not None]
            if not all(map(found.leads, [*node.inputs[:count], *rest])):
                raise Joined(describe(node))
            reduced = is_reduced and attribute(node, "reduction", "mean") != "none"
            return {value: None if reduced and i == 0 else 0 for i, value in enumerate(node.outputs)}

        return rule

    return maker


def along(axes_of: Callable[[ir.Node], list[int]]) -> Rule:
    """Return the rule of an operator that works along axes, and keeps all dimensions."""

    def rule(found: Samples, node: ir.Node) -> Axes:
        axis, rank = found.axis(node.inputs[0]), len(static_shape(node.inputs[0]))  # type: ignore[arg-type]
        others = any(found.axis(v) is not None for v in node.inputs[1:])
        if axis is None or others or axis in [a % rank for a in axes_of(node)]:
            raise Joined(describe(node))
        return everywhere(node, axis)

    return rule


def axis_attribute(node: ir.Node) -> list[int]:
    """Return the attribute `axis`, the last axis by default."""
    return [attribute(node, "axis", -1)]


def axis_input(node: ir.Node) -> list[int]:
    """Return the axis in the second input."""
    data = constant_array(node.inputs[1])
    if data is None:
        raise Joined(describe(node))
    return [int(a) for a in data.reshape(-1)]


def reduction(found: Samples, node: ir.Node) -> Axes:
    """Return the axis after a reduction; a sum or mean over everything has none, and is noted."""
    x, (y, *_) = node.inputs[0], node.outputs
    axis, axes, shape = found.axis(x), reduced_axes(node), static_shape(x)  # type: ignore[arg-type]
    if axis is None:
        raise Joined(describe(node))
    if axis not in axes:
        return everywhere(node, axis - (0 if attribute(node, "keepdims", 1) else sum(a < axis for a in axes)))
    if node.op_type not in ("ReduceSum", "ReduceMean") or math.prod(static_shape(y)) != 1 or axis != first_long(shape):
        raise Joined(describe(node))
    if x in found.repeats:
        raise Joined(describe(node))
    found.sums.add(node)
    return everywhere(node, None)


def first_long(shape: tuple[int, ...]) -> int:
    """Return the first axis longer than 1."""
    return next((i for i, d in enumerate(shape) if d > 1), 0)


def matmul(found: Samples, node: ir.Node) -> Axes:
    """Return the axis of a product: that of its rows, columns or batches of matrices."""
    a, b = node.inputs[:2]
    rank = len(static_shape(node.outputs[0]))
    at, bt = found.axis(a), found.axis(b)
    of_a, of_b = (len(static_shape(v)) for v in (a, b))  # type: ignore[arg-type]
    if any(found.axis(v) is not None for v in node.inputs[2:]) or at == of_a - 1 or (bt is not None and bt == of_b - 2):
        raise Joined(describe(node))
    if bt is None and at == of_a - 2:
        return everywhere(node, rank - 2)
    if at is None and bt == of_b - 1:
        return everywhere(node, rank - 1)
    if (at is not None and at >= of_a - 2) or (bt is not None and bt >= of_b - 2):
        raise Joined(describe(node))
    return everywhere(node, common_axis(found, node, [a, b], rank))


def gemm(found: Samples, node: ir.Node) -> Axes:
    """Return the axis of Gemm's rows. Samples may be in A and in a C that is the same for all of them."""
    a, b = node.inputs[:2]
    rows = 1 if attribute(node, "transA", 0) else 0
    if found.axis(b) is not None or found.axis(a) != rows:
        raise Joined(describe(node))
    c = node.inputs[2] if node.op_type == "Gemm" and len(node.inputs) > 2 else None
    if c is not None and not (found.axis(c) == 0 if c in found.axes else is_same_along(found, c, -2)):
        raise Joined(describe(node))
    return everywhere(node, 0)


def reshape(found: Samples, node: ir.Node) -> Axes:
    """Return the axis after a reshape: the last one with at most as many elements before it, and samples in it."""
    x, y = node.inputs[0], node.outputs[0]
    if x is None or found.axis(x) is None:
        raise Joined(describe(node))
    axis, shape, made = found.axes[x], static_shape(x), static_shape(y)
    before = math.prod(shape[:axis]) * found.repeats.get(x, 1)
    for i in reversed(range(len(made))):
        repeats, rest = divmod(before, math.prod(made[:i]))
        if rest == 0 and repeats and made[i] % (repeats * found.batch) == 0:
            found.repeats[y] = repeats
            return everywhere(node, i)
    raise Joined(describe(node))


def transpose(found: Samples, node: ir.Node) -> Axes:
    """Return the axis after a transposition."""
    axis, rank = found.axis(node.inputs[0]), len(static_shape(node.outputs[0]))
    order = list(attribute(node, "perm", range(rank - 1, -1, -1)))
    return everywhere(node, order.index(axis))


def keeping_length(found: Samples, node: ir.Node) -> Axes:
    """Return the first input's axis if the node leaves the rows of samples whole and in order.

    For Slice, Pad, Split and Resize: they do so if they leave the length of the axis.
    """
    axis = found.axis(node.inputs[0])
    if axis is None or any(found.axis(v) is not None for v in node.inputs[1:]):
        raise Joined(describe(node))
    length = static_shape(node.inputs[0])[axis]  # type: ignore[arg-type]
    if any(static_shape(y)[axis] != length for y in node.outputs if y.name) or reverses(node, axis):
        raise Joined(describe(node))
    return everywhere(node, axis)


def reverses(node: ir.Node, axis: int) -> bool:
    """Return whether a Slice or a Pad rearranges the axis although it keeps its length."""
    if node.op_type == "Pad":
        pads = constant_array(node.inputs[1]) if len(node.inputs) > 1 else np.asarray(attribute(node, "pads"))
        over = len(node.inputs) > 3 and node.inputs[3] is not None
        rank = len(static_shape(node.inputs[0]))  # type: ignore[arg-type]
        return pads is None or over or bool(pads[axis] or pads[axis + rank])
    steps = node.inputs[4] if node.op_type == "Slice" and len(node.inputs) > 4 else None
    if steps is None:
        return False
    data = constant_array(steps)
    return data is None or bool((data < 0).any())


def concat(found: Samples, node: ir.Node) -> Axes:
    """Return the axis that all inputs have, if another one is concatenated."""
    rank = len(static_shape(node.outputs[0]))
    axis = common_axis(found, node, list(node.inputs), rank)
    if axis == attribute(node, "axis") % rank:
        raise Joined(describe(node))
    return everywhere(node, axis)


def gather(found: Samples, node: ir.Node) -> Axes:
    """Return the axis of the data, or of the indices into a table."""
    data, indices = node.inputs
    shape = static_shape(data)  # type: ignore[arg-type]
    at, of_data, of_indices = attribute(node, "axis", 0) % len(shape), found.axis(data), found.axis(indices)
    if of_data is None and of_indices is not None:
        return everywhere(node, at + of_indices)
    if of_data is None or of_indices is not None or of_data == at:
        raise Joined(describe(node))
    return everywhere(node, of_data if of_data < at else of_data - 1 + len(static_shape(indices)))  # type: ignore[arg-type]


def cells(found: Samples, node: ir.Node) -> Axes:
    """Return the axes of a recurrent layer: 1 of (steps, batch, ...), 0 of (batch, hidden)."""
    z, recurrent, *states = node.inputs
    if found.axis(z) != 1 or found.axis(recurrent) is not None:
        raise Joined(describe(node))
    alone = [v for v in states if v is not None and len(static_shape(v)) == 2 and v not in found.axes]
    if not all(is_same_along(found, state, -2) for state in alone):
        raise Joined(describe(node))
    return {value: 1 if len(static_shape(value)) > 2 else 0 for value in node.outputs if value.name and value.shape}


ELEMENTWISE = """Relu LeakyRelu ThresholdedRelu Sigmoid Tanh Softsign Mish HardSigmoid HardSwish Swish PRelu Add Sub
Mul Div Mod Neg Greater GreaterOrEqual Less LessOrEqual Equal And Or Not Max Min Clip Abs Exp Log
Sqrt Reciprocal Erf Floor Ceil Round Sign Elu Selu Celu Gelu Sinh Cosh Asinh Acosh Atanh Identity
Cast Pow Softplus Sin Cos Tan Asin Acos Atan Expand QAdd QMul FlipSign Heaviside"""
EACH = frozenset(ELEMENTWISE.split())
LIKE_FIRST = "QuantizeLinear DequantizeLinear Quantize QLookup"
LAYERS = """Dropout Conv ConvTranspose AveragePool MaxPool GlobalMaxPool GlobalAveragePool Normalize QConv
QConvFloatBias QConvTranspose QConvTransposeFloatBias QMaxPool QAveragePool QGlobalAveragePool
InstanceNormalization GroupNormalization LRN DepthToSpace SpaceToDepth"""
REDUCTIONS = "ReduceMax ReduceMin ReduceProd ReduceSum ReduceMean ReduceL1 ReduceL2 QReduceMean"
CELLS = [f"{kind}{way}" for kind in (
    "RnnTanhCells", "RnnReluCells", "GruCells", "GruResetAfterCells", "LstmCells", "LstmCoupledCells",
) for way in ("", "Reverse")]  # fmt: skip

RULES: dict[str, Rule] = {
    **dict.fromkeys((*EACH, "Where"), aligned),
    **dict.fromkeys(LIKE_FIRST.split(), like_first),
    **dict.fromkeys(LAYERS.split(), first),
    **dict.fromkeys(CELLS, cells),
    **{f"{name}{kind}": loss_over(2)(kind != "None")
       for name in ("MSELoss", "L1Loss", "BCEWithLogitsLoss", "CrossEntropy") for kind in ("None", "Sum", "Mean")},
    **{name: loss_over(2)(True) for name in ("SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss")},
    **{name: along(axis_attribute) for name in ("Softmax", "LogSoftmax", "TopK", "LpNormalization")},
    **dict.fromkeys(REDUCTIONS.split(), reduction),
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze"), reshape),
    **dict.fromkeys(("Slice", "Pad", "Split", "Resize"), keeping_length),
    **dict.fromkeys(("Gemm", "QGemm", "QGemmFloatBias"), gemm),
    **dict.fromkeys(("MatMul", "QMatMul"), matmul),
    "Moments": statistics,
    "Standardize": along(lambda node: list(attribute(node, "axes"))),
    "CumSum": along(axis_input),
    "Transpose": transpose,
    "Concat": concat,
    "Gather": gather,
}  # fmt: skip


# ---- Arithmetic on the size of the batch


def check_sizes(graph: ir.Graph, axes: Mapping[str, int]) -> None:
    """Raise Joined if numbers are computed from the batch's size, as a mean does that divides by a Size.

    graph: with an open batch. axes: of samples, by the names of values. Shapes may depend on the size.
    """
    sizes: set[ir.Value] = set()
    for node in graph:
        if reads_size(node, axes) or any(v in sizes for v in node.inputs if v is not None):
            if node.op_type == "Cast" and attribute(node, "to") in (ir.DataType.FLOAT, ir.DataType.DOUBLE):
                raise Joined(f"{describe(node)} computes with the size of the batch")
            if all(v.dtype in (None, ir.DataType.INT64, ir.DataType.INT32) for v in node.outputs):
                sizes.update(v for v in node.outputs if not is_other_dim(node, sizes, axes))


def reads_size(node: ir.Node, axes: Mapping[str, int]) -> bool:
    """Return whether a node makes the size of something with samples, or of an unknown value."""
    if node.op_type not in ("Shape", "Size") or node.domain:
        return False
    x = node.inputs[0]
    return x is not None and (x.name in axes or x.shape is None or not x.shape.is_static())


def is_other_dim(node: ir.Node, sizes: set[ir.Value], axes: Mapping[str, int]) -> bool:
    """Return whether a node picks dimensions of a Shape that do not count samples."""
    if node.op_type != "Gather" or node.inputs[0] not in sizes:
        return False
    made = node.inputs[0].producer()
    index = constant_array(node.inputs[1])
    x = made.inputs[0] if made is not None and made.op_type == "Shape" else None
    if x is None or index is None or x.name not in axes or x.shape is None:
        return False
    return axes[str(x.name)] not in [int(i) % len(x.shape) for i in index.reshape(-1)]


# ---- After all passes


def settle(compiled: Compiled) -> None:
    """Let a program take whole batches only if one of its loops joins samples: loops run whole instructions."""
    for program in compiled.programs:
        bodies = [program.instructions[span.start : span.end] for span in spans(program.instructions)]
        if program.rows_of and any(i.opcode in JOINING for body in bodies for i in body):
            log.info("program %s takes whole batches: its loops join samples", program.kind)
            program.rows_of = frozenset()
