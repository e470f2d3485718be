"""Passes that bring quantized weights to one form.

quantize_weights   DequantizeLinear(Clip?(QuantizeLinear(w)))   becomes   DequantizeLinear(w_q)

    Float weights that a QuantizeLinear reads become int8 or uint8 constants. Tools of quantization-aware
    training leave weights in this form. The constant takes the weight's name, so that it is found as one
    of the model's own weights. A weight with other readers stays as it is.

centre_weights     The zero points of weights become 0 if all q - zero fit their type.

    The real numbers stay bitwise equal: (q - zero) scale = ((q - zero) - 0) scale.

dequantize_last    Transpose(DequantizeLinear(w))   becomes   DequantizeLinear(Transpose(w))

    Reshape, Squeeze, Unsqueeze and Flatten move likewise; with a scale for each channel, only if the
    channels stay one dimension. The layer then reads a DequantizeLinear, whatever the exporter did to its
    weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

import numpy as np
import onnx_ir as ir

from ...ir.affine import VIEWS, Affine, affine_of, dequantizers_of, is_dequantizer, is_quantizer
from ...ir.graph import Builder, attribute, constant_array, prune, sort_nodes, take_over
from ...operators.clip import bounds
from .signed_values import set_data

# ---- quantize_weights ------------------------------------------------------------------------------------------------


def quantize_weights(graph: ir.Graph, keep: Set[str]) -> None:
    """Quantize every float constant whose only reader is a QuantizeLinear."""
    for node in list(graph):
        if is_quantizer(node) and is_only_reader(node):
            quantize(graph, node)
    prune(graph)


def is_only_reader(node: ir.Node) -> bool:
    """Return whether the node quantizes a float constant that nothing else reads."""
    weight = node.inputs[0]
    array = constant_array(weight)
    return (
        array is not None
        and array.dtype == np.float32
        and len(list(weight.uses())) == 1
        and not node.outputs[0].is_graph_output()
    )


def quantize(graph: ir.Graph, node: ir.Node) -> None:
    """Replace a QuantizeLinear, and a Clip after it, with a constant."""
    affine, weight = affine_of(node), node.inputs[0]
    if affine is None or weight is None:
        return
    array, made = affine.quantize(constant_array(weight)), node.outputs[0]
    clip = clip_behind(made)
    if clip is not None:
        limits = bounds(clip)
        array, made = np.clip(array.astype(float), limits["low"], limits["high"]).astype(array.dtype), clip.outputs[0]
    made.replace_all_uses_with(weight)
    for old in (clip, node):
        if old is not None:
            graph.remove(old, safe=True)
    set_data(weight, array)


def clip_behind(value: ir.Value) -> ir.Node | None:
    """Return the Clip with constant bounds that is the value's only reader, or None."""
    uses = list(value.uses())
    clip = uses[0].node if len(uses) == 1 else None
    is_clip = clip is not None and clip.op_type == "Clip" and not clip.domain
    if clip is None or not is_clip or clip.outputs[0].is_graph_output():
        return None
    return clip if all(v is None or constant_array(v) is not None for v in clip.inputs[1:]) else None


# ---- centre_weights --------------------------------------------------------------------------------------------------


def centre_weights(graph: ir.Graph, keep: Set[str]) -> None:
    """Centre every constant that only DequantizeLinears of one quantization read."""
    for value in list(graph.initializers.values()):
        array = constant_array(value)
        users = dequantizers_of(value) if array is not None and array.dtype == np.int8 else None
        affine = common_quantization(value, users) if users else None
        centred = centred_by(array, affine) if affine is not None else None
        if centred is not None:
            set_data(value, centred)
            for node in users or ():
                node.resize_inputs(2)


def common_quantization(value: ir.Value, users: list[ir.Node]) -> Affine | None:
    """Return the quantization of a constant if its readers agree and its zero points are not 0.

    A zero point for each channel is known for the constant itself, but not for a view of it.
    """
    first, *others = [affine_of(node) for node in users]
    if first is None or not first.zero.any() or not all(first.equals(other) for other in others):
        return None
    if np.unique(first.zero).size == 1:
        return Affine(first.scale, first.zero.reshape(-1)[:1].reshape(()))
    return first if all(node.inputs[0] is value for node in users) else None


def centred_by(array: np.ndarray, affine: Affine) -> np.ndarray | None:
    """Return q - zero; None if some of it does not fit the type."""
    limits = np.iinfo(array.dtype)
    moved = array.astype(np.int64) - affine.spread(affine.zero, array.ndim).astype(np.int64)
    fits = moved.size and limits.min <= int(moved.min()) and int(moved.max()) <= limits.max
    return moved.astype(array.dtype) if fits else None


# ---- dequantize_last -------------------------------------------------------------------------------------------------


def dequantize_last(graph: ir.Graph, keep: Set[str]) -> None:
    """Move every view that follows the DequantizeLinear of a constant."""
    for node in list(graph):
        dequantizer = node.inputs[0].producer() if node.inputs and node.inputs[0] is not None else None
        if node.op_type in VIEWS and not node.domain and is_dequantizer(dequantizer) and is_constant(dequantizer):
            move(graph, node, dequantizer)
    sort_nodes(graph)


def is_constant(dequantizer: ir.Node) -> bool:
    """Return whether a DequantizeLinear reads a constant, perhaps through views."""
    value = dequantizer.inputs[0]
    while value is not None and (node := value.producer()) is not None and node.op_type in VIEWS and not node.domain:
        value = node.inputs[0]
    return constant_array(value) is not None


def move(graph: ir.Graph, view: ir.Node, dequantizer: ir.Node) -> None:
    """Exchange one view and its DequantizeLinear if the view keeps the channels together."""
    affine = affine_of(dequantizer)
    axis = axis_behind(view, affine.axis) if affine is not None and affine.axis is not None else 0
    if affine is None or axis is None:
        return
    builder, y, q = Builder(graph), view.outputs[0], dequantizer.inputs[0]
    attributes = {a.name: a.value for a in view.attributes.values()}
    moved = builder.op(view.op_type, q, *view.inputs[1:], name=f"{q.name}.view", **attributes)
    moved.shape, moved.type = y.shape, q.type
    channels = {"axis": axis} if affine.axis is not None else {}
    take_over(
        graph, y, builder.op("DequantizeLinear", moved, *dequantizer.inputs[1:], name=f"{y.name}.real", **channels)
    )


def axis_behind(view: ir.Node, axis: int) -> int | None:
    """Return the position of a dimension after a view; None if it does not stay one dimension."""
    before, after = view.inputs[0].shape, view.outputs[0].shape
    if before is None or after is None or not before.is_static() or not after.is_static():
        return None
    if view.op_type == "Identity":
        return axis
    if view.op_type == "Transpose":
        perm = attribute(view, "perm", list(reversed(range(len(before)))))
        return list(perm).index(axis)
    return same_dimension([int(d) for d in before], axis, [int(d) for d in after])


def same_dimension(before: Sequence[int], axis: int, after: Sequence[int]) -> int | None:
    """Return the dimension of a reshaped tensor that has the size and the stride of `axis`, or None."""
    size, stride = before[axis], math.prod(before[axis + 1 :])
    found = [i for i, d in enumerate(after) if d == size and math.prod(after[i + 1 :]) == stride]
    return found[0] if found else None
