"""The pass that turns uint8 into int8: the value q - 128 with the zero point zero - 128.

The real numbers stay bitwise equal. FlipSign marks the values that stay uint8: it follows inputs,
precedes outputs, and surrounds operators that this pass does not know.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ...ir.affine import Affine, affine_of, dequantizers_of, is_dequantizer, is_quantizer
from ...ir.graph import DOMAIN, Builder, attribute, constant_array, prune, sort_nodes, take_over

HALF = 128
#: Operators that move the elements of their first input, or of all inputs, and keep their order.
MOVING = ("Reshape", "Transpose", "Slice", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Expand", "Gather", "Tile",
          "MaxPool", "DepthToSpace", "SpaceToDepth", "Concat")  # fmt: skip


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Turn every quantized value into int8."""
    flip_constants(graph)
    for node in list(graph):
        if is_quantizer(node):
            sign_quantizer(graph, node)
        elif is_dequantizer(node):
            sign_dequantizer(graph, node)
    sort_nodes(graph)
    while sum(carry(graph, node) for node in list(graph) if is_flip(node)):
        sort_nodes(graph)
    prune(graph)


def flip_constants(graph: ir.Graph) -> None:
    """Convert constants to int8 if only DequantizeLinears with known parameters read them, perhaps through views."""
    for value in list(graph.initializers.values()):
        array = constant_array(value)
        users = dequantizers_of(value) if array is not None and array.dtype == np.uint8 else None
        quantizations = [affine_of(node) for node in users or ()]
        if users and all(affine is not None for affine in quantizations):
            set_data(value, signed(array))
            declare_views(value)
            for user, affine in zip(users, quantizations, strict=True):
                give_zero(graph, user, affine)


def declare_views(value: ir.Value) -> None:
    """Propagate a value's type to its views."""
    for use in value.uses():
        if not is_dequantizer(use.node):
            use.node.outputs[0].type = value.type
            declare_views(use.node.outputs[0])


def signed(array: np.ndarray) -> np.ndarray:
    """Return uint8 numbers minus 128 as int8."""
    return (array.astype(np.int16) - HALF).astype(np.int8)


def set_data(value: ir.Value, array: np.ndarray) -> None:
    """Replace an initializer's data, perhaps with another type."""
    value.const_value = ir.tensor(array, name=value.name)
    value.type = ir.TensorType(ir.DataType.from_numpy(array.dtype))


def give_zero(graph: ir.Graph, node: ir.Node, affine: Affine) -> None:
    """Give a node the int8 zero points that correspond to its uint8 ones."""
    zero = Builder(graph).constant(signed(affine.zero), f"{node.outputs[0].name}.zero")
    node.resize_inputs(3)
    node.replace_input_with(2, zero)
    node.attributes.pop("output_dtype", None)


def sign_quantizer(graph: ir.Graph, node: ir.Node) -> None:
    """Make a QuantizeLinear to uint8 quantize to int8, followed by FlipSign."""
    affine, y = affine_of(node), node.outputs[0]
    if affine is None or affine.dtype != np.uint8:
        return
    builder = Builder(graph)
    made = builder.op("QuantizeLinear", *node.inputs[:2], name=f"{y.name}.signed")
    made.shape, made.type = y.shape, ir.TensorType(ir.DataType.INT8)
    give_zero(graph, made.producer(), affine)
    take_over(graph, y, flipped(builder, made))


def sign_dequantizer(graph: ir.Graph, node: ir.Node) -> None:
    """Make a DequantizeLinear of uint8 read int8, through a FlipSign."""
    affine, x = affine_of(node), node.inputs[0]
    if affine is not None and x is not None and affine.dtype == np.uint8:
        node.replace_input_with(0, flipped(Builder(graph), x))
        give_zero(graph, node, affine)


def flipped(builder: Builder, x: ir.Value) -> ir.Value:
    """Append FlipSign(x), which is int8 if x is uint8, and vice versa."""
    to = ir.DataType.INT8 if x.dtype == ir.DataType.UINT8 else ir.DataType.UINT8
    offset = -HALF if to == ir.DataType.INT8 else HALF
    y = builder.op("FlipSign", x, name=f"{x.name}.flipped", domain=DOMAIN, offset=offset, to=to.value)
    y.shape, y.type = x.shape, ir.TensorType(to)
    return y


def is_flip(node: ir.Node | None) -> bool:
    """Return whether a node is FlipSign."""
    return node is not None and node.op_type == "FlipSign" and node.domain == DOMAIN


def carry(graph: ir.Graph, flip: ir.Node) -> bool:
    """Move a FlipSign to int8 up: cancel it against one to uint8, or exchange it with a node that moves elements.

    Return whether anything changed.
    """
    if attribute(flip, "to") != ir.DataType.INT8.value or not flip.outputs[0].uses():
        return False
    above = flip.inputs[0].producer()
    if is_flip(above):
        flip.outputs[0].replace_all_uses_with(above.inputs[0])
        return True
    if above is None or above.domain or len(above.outputs) > 1:
        return False
    if above.op_type not in MOVING and not is_constant_clip(above):
        return False
    builder, y = Builder(graph), flip.outputs[0]
    attributes = {a.name: a.value for a in above.attributes.values()}
    inputs = [moved(builder, above, i) if v is not None else None for i, v in enumerate(above.inputs)]
    take_over(graph, y, builder.op(above.op_type, *inputs, name=f"{y.name}.moved", **attributes))
    return True


def moved(builder: Builder, node: ir.Node, index: int) -> ir.Value | None:
    """Return the input of a node that takes int8 instead of uint8: data inputs are flipped."""
    value = node.inputs[index]
    if node.op_type == "Clip" and index > 0:
        return builder.constant(signed(constant_array(value)), f"{value.name}.signed")
    is_data = index == 0 or node.op_type == "Concat"
    return flipped(builder, value) if is_data else value


def is_constant_clip(node: ir.Node) -> bool:
    """Return whether a node is a Clip with constant bounds."""
    return node.op_type == "Clip" and all(v is None or constant_array(v) is not None for v in node.inputs[1:])
