"""The pattern Move(DequantizeLinear(x)), which becomes DequantizeLinear(Move(x)).

Move is any operator that moves elements without computing with them, or MaxPool, for which only
their order matters. These then work on int8, and the nodes after them find the DequantizeLinear that
they need.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ...ir.affine import Affine
from ...ir.graph import DOMAIN, Builder, attribute, constant_array
from ...ir.metadata import BACKWARD, LAYER
from ...operators.conv import spatial
from ...operators.max_pool import grad_attributes, pool_window
from .matching import Quantized, activation, scale_and_zero

#: Operators that move the elements of their first input.
MOVING = ("Reshape", "Transpose", "Slice", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Split", "Expand", "Tile",
          "Pad", "Resize", "MaxPool", "Concat")  # fmt: skip


def fuse(graph: ir.Graph, node: ir.Node, keep: Set[str]) -> bool:
    """Move one operator in front of the DequantizeLinears that it reads; return whether it was possible.

    A Pad that fills with a parameter named in `keep` stays.
    """
    if node.domain or node.op_type not in MOVING or BACKWARD.stands_in(node):
        return False
    if any(value is not None and value.name in keep for value in node.inputs[1:]):
        return False
    found = [activation(value) for value in data_inputs(node)]
    first = found[0] if found else None
    if first is None or not all(f is not None and f.affine.equals(first.affine) for f in found):
        return False
    inputs = moved_inputs(graph, node, [f for f in found if f is not None], first.affine)
    if inputs is None:
        return False
    rewrite(graph, node, inputs, first.affine)
    return True


def data_inputs(node: ir.Node) -> list[ir.Value | None]:
    """Return the inputs whose elements move."""
    return list(node.inputs) if node.op_type == "Concat" else list(node.inputs[:1])


def moved_inputs(
    graph: ir.Graph, node: ir.Node, found: list[Quantized], affine: Affine
) -> list[ir.Value | None] | None:
    """Return the inputs of the node that moves integers, or None if it does more than that."""
    integers: list[ir.Value | None] = [f.value for f in found]
    if node.op_type == "Concat":
        return integers
    if node.op_type == "Resize" and attribute(node, "mode", "nearest") != "nearest":
        return None
    if node.op_type == "MaxPool" and not is_plain_pool(node):
        return None
    if node.op_type == "Pad":
        return padded_inputs(graph, node, integers[0], affine)
    return [*integers, *node.inputs[1:]]


def is_plain_pool(node: ir.Node) -> bool:
    """Return whether nothing uses the indices of a MaxPool, and a kernel exists for its dimensions."""
    unused = all(not o.uses() and not o.is_graph_output() for o in node.outputs[1:])
    return unused and len(spatial(node.inputs[0])) in (1, 2)


def padded_inputs(graph: ir.Graph, node: ir.Node, x: ir.Value | None, affine: Affine) -> list[ir.Value | None] | None:
    """Return the inputs of a Pad of integers, or None if no integer represents its fill value."""
    if attribute(node, "mode", "constant") != "constant":
        return [x, *node.inputs[1:]]
    given = node.inputs[2] if len(node.inputs) > 2 else None
    number = constant_array(given) if given is not None else np.zeros((), np.float32)
    if number is None or number.size != 1:
        return None
    integer = affine.quantize(number.reshape(()))
    if affine.dequantize(integer) != number.reshape(()):
        return None
    fill = Builder(graph).constant(integer, f"{node.outputs[0].name}.fill")
    return [x, node.inputs[1], fill, *node.inputs[3:]]


def rewrite(graph: ir.Graph, node: ir.Node, inputs: list[ir.Value | None], affine: Affine) -> None:
    """Replace the node with one that moves integers, with a DequantizeLinear for each output."""
    builder, used = Builder(graph), [y for y in node.outputs if y.uses() or y.is_graph_output()]
    op_type, domain, attributes = moving_operator(node)
    count = 1 if domain else len(node.outputs)
    moved = builder.ops(op_type, *inputs, names=[f"{y.name}.integers" for y in node.outputs[:count]], domain=domain,
                        **attributes)  # fmt: skip
    for note in (LAYER, BACKWARD):
        note.copy(node, moved[0].producer())
    for y, integers in zip(node.outputs, moved, strict=False):
        integers.shape, integers.type = y.shape, ir.TensorType(ir.DataType.INT8)
        if y in used:
            real = builder.op("DequantizeLinear", integers, *scale_and_zero(builder, str(y.name), affine),
                              name=f"{y.name}.real")  # fmt: skip
            replace_output(y, real)
    graph.remove(node, safe=True)


def replace_output(y: ir.Value, real: ir.Value) -> None:
    """Replace one output with a new value, which takes its name."""
    name, real.shape, real.type = y.name, y.shape, y.type
    y.replace_all_uses_with(real, replace_graph_outputs=True)
    y.name, real.name = f"{name}.before", name


def moving_operator(node: ir.Node) -> tuple[str, str, dict[str, object]]:
    """Return type, domain and attributes of the node that moves integers."""
    if node.op_type == "MaxPool":
        window = pool_window(node, node.inputs[0], node.outputs[0])
        return "QMaxPool", DOMAIN, grad_attributes(window) | {"ceil_mode": attribute(node, "ceil_mode", 0)}
    return node.op_type, "", {a.name: a.value for a in node.attributes.values()}
