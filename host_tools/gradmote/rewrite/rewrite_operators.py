"""Passes that rewrite one operator each, by others.

binary_chains              Sum, Mean, Max and Min as chains of two operands: ((a + b) + c) + d
rewrite_depth_space        DepthToSpace and SpaceToDepth as Reshape, Transpose, Reshape
rewrite_global_pool        GlobalAveragePool as a ReduceMean over all positions
rewrite_lp_normalization   LpNormalization as a reduction and a Div
rewrite_lrn                LRN over channels, with an AveragePool
rewrite_mod                Mod of floats without fmod, whose result has the sign of the divisor
rewrite_one_hot            OneHot(indices, depth, (off, on)) as comparisons
rewrite_trilu              Trilu of a known shape as a Where with a constant mask
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import (
    Builder,
    attribute,
    constant_array,
    describe,
    normalize_axis,
    rank,
    sort_nodes,
    static_shape,
    take_over,
)
from ..ir.metadata import GLOBAL_POOL
from ..operators.constants import known_dim
from ..operators.rewritten import diagonal_of
from .rewrite_reductions import reduce

# ---- binary_chains ---------------------------------------------------------------------------------------------------
# A mean is the sum times 1 / count. A node with one operand becomes an Identity.

#: Operator with any number of operands -> the binary operator of its chain.
STEPS = {"Sum": "Add", "Mean": "Add", "Max": "Max", "Min": "Min"}


def binary_chains(graph: ir.Graph, keep: Set[str]) -> None:
    """Replace every Sum, Mean, Max and Min that does not have exactly two operands."""
    for node in list(graph):
        is_pair = node.op_type in ("Max", "Min") and len(node.inputs) == 2
        if not node.domain and node.op_type in STEPS and not is_pair:
            replace_by_chain(graph, node)


def replace_by_chain(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one node with its chain; the output keeps its name."""
    builder, old = Builder(graph), node.outputs[0]
    result = chain(builder, node)
    if node.op_type == "Mean":
        share = builder.constant(1.0 / len(node.inputs), f"{old.name}.share")
        result = builder.op("Mul", result, share, name=f"{old.name}.mean")
    elif len(node.inputs) == 1:
        result = builder.op("Identity", result, name=f"{old.name}.same")
    take_over(graph, old, result)
    sort_nodes(graph)


def chain(builder: Builder, node: ir.Node) -> ir.Value:
    """Append the chain, from the first operand to the last."""
    result, *others = [x for x in node.inputs if x is not None]
    for operand in others:
        result = builder.op(STEPS[node.op_type], result, operand, name=f"{node.outputs[0].name}.chain")
    return result


# ---- rewrite_depth_space ---------------------------------------------------------------------------------------------
# DepthToSpace  DCR  (N, b, b, C, H, W) -> (N, C, H, b, W, b)
#               CRD  (N, C, b, b, H, W) -> (N, C, H, b, W, b)
# SpaceToDepth  DCR  (N, C, H, b, W, b) -> (N, b, b, C, H, W)
#               CRD  (N, C, H, b, W, b) -> (N, C, b, b, H, W)


def rewrite_depth_space(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every DepthToSpace and SpaceToDepth."""
    for node in list(graph):
        if node.op_type in ("DepthToSpace", "SpaceToDepth") and not node.domain:
            as_transpose(graph, node)
    sort_nodes(graph)


def as_transpose(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one node with Reshape, Transpose, Reshape."""
    x, y = node.inputs[0], node.outputs[0]
    before, perm, after = steps(node, *sizes_of_image(node))
    builder = Builder(graph)
    value = builder.op("Reshape", x, builder.constant(before, f"{y.name}.blocks"), name=f"{y.name}.blocks")
    value = builder.op("Transpose", value, name=f"{y.name}.moved", perm=perm)
    value = builder.op("Reshape", value, builder.constant(after, f"{y.name}.shape"), name=f"{y.name}.joined")
    take_over(graph, y, value)


def sizes_of_image(node: ir.Node) -> list[int]:
    """Return channels, height and width of x; raise UnsupportedOperator if one is unknown."""
    dims = list(node.inputs[0].shape or ())[1:]
    if len(dims) != 3 or not all(isinstance(d, int) for d in dims):
        raise UnsupportedOperator(
            f"{node.op_type} of shape {node.inputs[0].shape}",
            "export with fixed channels, height and width",
            describe(node),
        )
    return dims


def steps(node: ir.Node, c: int, h: int, w: int) -> tuple[list[int], list[int], list[int]]:
    """Return shape, permutation and shape of the three nodes; a size of 0 keeps the batch."""
    b = attribute(node, "blocksize")
    channels_inside = attribute(node, "mode", "DCR") == "DCR"
    if node.op_type == "SpaceToDepth":
        perm = [0, 3, 5, 1, 2, 4] if channels_inside else [0, 1, 3, 5, 2, 4]
        return [0, c, h // b, b, w // b, b], perm, [0, c * b * b, h // b, w // b]
    depth = c // (b * b)
    after = [0, depth, h * b, w * b]
    if not channels_inside:
        return [0, depth, b, b, h, w], [0, 1, 4, 2, 5, 3], after
    return [0, b, b, depth, h, w], [0, 3, 4, 1, 5, 2], after


# ---- rewrite_global_pool ---------------------------------------------------------------------------------------------
# The gradient then costs one product per element; that of a pool searches windows for each element.


def rewrite_global_pool(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every GlobalAveragePool."""
    for node in list(graph):
        if node.op_type == "GlobalAveragePool" and not node.domain:
            x, y, builder = node.inputs[0], node.outputs[0], Builder(graph)
            axes = builder.constant(list(range(2, rank(x, node))), f"{y.name}.axes")
            made = reduce(builder, "ReduceMean", x, axes, f"{y.name}.mean")
            GLOBAL_POOL.write(made.producer(), "1")
            take_over(graph, y, made)
    sort_nodes(graph)


# ---- rewrite_lp_normalization ----------------------------------------------------------------------------------------
# y = x / norm, norm = sum |x| or sqrt(sum x x) along an axis. If the norm is 0, x is divided by infinity instead: y is
# 0, as in ONNX, and so is the gradient.

REDUCTIONS = {1: "ReduceL1", 2: "ReduceL2"}


def rewrite_lp_normalization(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every LpNormalization."""
    for node in list(graph):
        if node.op_type == "LpNormalization" and not node.domain:
            as_quotient(graph, node)
    sort_nodes(graph)


def as_quotient(graph: ir.Graph, node: ir.Node) -> None:
    """Replace one node; raise UnsupportedOperator if p is neither 1 nor 2."""
    x, y, builder = node.inputs[0], node.outputs[0], Builder(graph)
    p = attribute(node, "p", 2)
    if p not in REDUCTIONS:
        raise UnsupportedOperator(f"LpNormalization with p = {p}", "ONNX has 1 and 2", describe(node))
    axis = builder.constant([normalize_axis(attribute(node, "axis", -1), x, node)], f"{y.name}.axis")
    norm = reduce(builder, REDUCTIONS[p], x, axis, f"{y.name}.norm")
    is_zero = builder.op("Equal", norm, builder.constant(0.0, f"{y.name}.zero"), name=f"{y.name}.is_zero")
    infinity = builder.constant(np.float32(np.inf), f"{y.name}.infinity")
    divisor = builder.op("Where", is_zero, infinity, norm, name=f"{y.name}.divisor")
    take_over(graph, y, builder.op("Div", x, divisor, name=f"{y.name}.quotient"))


# ---- rewrite_lrn -----------------------------------------------------------------------------------------------------
# y = x / (bias + alpha mean(x x))^beta; the mean is that of an AveragePool along the channels, padded with zeros.


def rewrite_lrn(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every LRN."""
    for node in list(graph):
        if node.op_type == "LRN" and not node.domain:
            take_over(graph, node.outputs[0], normalized(Builder(graph), node))
    sort_nodes(graph)


def normalized(builder: Builder, node: ir.Node) -> ir.Value:
    """Append x / (bias + alpha mean(x x))^beta."""
    x, name = node.inputs[0], str(node.outputs[0].name)
    assert x is not None
    defaults = {"alpha": 1e-4, "beta": 0.75, "bias": 1.0}
    alpha, beta, bias = (builder.constant(float(attribute(node, k, d)), f"{name}.{k}") for k, d in defaults.items())
    mean = mean_of_squares(builder, node, x, name)
    scaled = builder.op("Mul", mean, alpha, name=f"{name}.scaled")
    base = builder.op("Add", scaled, bias, name=f"{name}.base")
    power = builder.op("Pow", base, beta, name=f"{name}.power")
    for value in (mean, scaled, base, power):
        value.shape, value.type = x.shape, x.type
    return builder.op("Div", x, power, name=f"{name}.normalized")


def mean_of_squares(builder: Builder, node: ir.Node, x: ir.Value, name: str) -> ir.Value:
    """Append the mean of squares over `size` channels around each.

    It is an AveragePool over an image (N, 1, C, all other dimensions).
    """
    size, channels = attribute(node, "size"), known_dim(x, 1, node)
    before = (size - 1) // 2
    image_shape = builder.constant([0, 1, channels, -1], f"{name}.image_shape")
    image = builder.op("Reshape", builder.op("Mul", x, x, name=f"{name}.squares"), image_shape, name=f"{name}.image")
    pooled = builder.op(
        "AveragePool", image, name=f"{name}.pooled",
        kernel_shape=[size, 1], pads=[before, 0, size - 1 - before, 0], count_include_pad=1,
    )  # fmt: skip
    return builder.op("Reshape", pooled, builder.op("Shape", x, name=f"{name}.shape"), name=f"{name}.mean")


# ---- rewrite_mod -----------------------------------------------------------------------------------------------------
# r = fmod(a, b), or r + b if r and b differ in sign.


def rewrite_mod(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every Mod of floats without fmod."""
    for node in list(graph):
        if node.op_type == "Mod" and not node.domain and not attribute(node, "fmod", 0):
            a, b = node.inputs
            if a is not None and a.dtype is not None and a.dtype.is_floating_point():
                take_over(graph, node.outputs[0], with_sign_of_divisor(Builder(graph), a, b, node.outputs[0]))
    sort_nodes(graph)


def with_sign_of_divisor(builder: Builder, a: ir.Value, b: ir.Value | None, y: ir.Value) -> ir.Value:
    """Append the remainder of a / b with the sign of b."""
    rest = builder.op("Mod", a, b, name=f"{y.name}.rest", fmod=1)
    signs = [builder.op("Sign", value, name=f"{y.name}.sign") for value in (rest, b)]
    product = builder.op("Mul", *signs, name=f"{y.name}.signs")
    differs = builder.op("Less", product, builder.constant(0.0, f"{y.name}.zero"), name=f"{y.name}.differs")
    moved = builder.op("Add", rest, b, name=f"{y.name}.moved")
    return builder.op("Where", differs, moved, rest, name=f"{y.name}.result")


# ---- rewrite_one_hot -------------------------------------------------------------------------------------------------
# It compares the indices with 0 .. depth - 1, and with -depth .. -1, which count from the end; an index that equals
# none gives off.


def rewrite_one_hot(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every OneHot."""
    for node in list(graph):
        if node.op_type == "OneHot" and not node.domain:
            take_over(graph, node.outputs[0], compared(Builder(graph), node))
    sort_nodes(graph)


def compared(builder: Builder, node: ir.Node) -> ir.Value:
    """Append the comparisons, and a Where that selects on or off."""
    indices, _, off_on = node.inputs
    name, depth = node.outputs[0].name, depth_of(node)
    axes = rank(indices, node) + 1
    axis = attribute(node, "axis", -1) % axes
    numbers = builder.op("Cast", indices, name=f"{name}.whole", to=ir.DataType.INT64.value)
    numbers = builder.op("Cast", numbers, name=f"{name}.numbers", to=ir.DataType.FLOAT.value)
    numbers = builder.op("Unsqueeze", numbers, builder.constant([axis], f"{name}.axis"), name=f"{name}.unsqueezed")
    positions = np.arange(depth, dtype=np.float32).reshape([depth if a == axis else 1 for a in range(axes)])
    hits = [
        builder.op("Equal", numbers, builder.constant(positions - back, f"{name}.places"), name=f"{name}.equal")
        for back in (0, np.float32(depth))
    ]
    hit = builder.op("Or", *hits, name=f"{name}.hit")
    on, off = (element(builder, off_on, i, f"{name}.{what}") for i, what in ((1, "on"), (0, "off")))
    return builder.op("Where", hit, on, off, name=f"{name}.chosen")


def depth_of(node: ir.Node) -> int:
    """Return the depth; raise UnsupportedOperator if it is not constant."""
    depth = constant_array(node.inputs[1])
    if depth is None or depth.size != 1:
        raise UnsupportedOperator("OneHot with a computed depth", "make the depth constant", describe(node))
    return int(depth.reshape(-1)[0])


def element(builder: Builder, values: ir.Value, index: int, name: str) -> ir.Value:
    """Return an element of a vector, as a constant if it is known."""
    known = constant_array(values)
    if known is not None:
        return builder.constant(known.reshape(-1)[index], name)
    return builder.op("Gather", values, builder.constant(np.int64(index), f"{name}.index"), name=name, axis=0)


# ---- rewrite_trilu ---------------------------------------------------------------------------------------------------


def rewrite_trilu(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every Trilu."""
    for node in list(graph):
        if node.op_type == "Trilu" and not node.domain:
            take_over(graph, node.outputs[0], masked(Builder(graph), node))
    sort_nodes(graph)


def masked(builder: Builder, node: ir.Node) -> ir.Value:
    """Append Where(mask, x, 0), with the part above or below the diagonal as the mask."""
    x, y = node.inputs[0], node.outputs[0]
    everything = np.ones(static_shape(x, node)[-2:], np.bool_)
    part = np.triu if attribute(node, "upper", 1) else np.tril
    mask = builder.constant(part(everything, diagonal_of(node)), f"{y.name}.mask")
    zero = builder.constant(np.zeros((), x.dtype.numpy()), f"{y.name}.zero")
    return builder.op("Where", mask, x, zero, name=f"{y.name}.masked")
