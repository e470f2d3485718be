"""Passes that remove what does nothing.

drop_empty_parts   empty operands of a Concat, such as an empty Slice
remove_identity    no-op nodes, except those that make a graph output: Identity, Cast and CastLike from
                   float32 to float32, and Slices that take everything
remove_dropout     Dropout, from graphs that do not train. Whatever its input training_mode says, its
                   first output is its input, and its mask is all true.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ..ir.graph import Builder, attribute, constant_array, prune, sort_nodes
from ..ir.metadata import NO_GRADIENT


def drop_empty_parts(graph: ir.Graph, keep: Set[str]) -> None:
    """Remove the empty operands of every Concat that has others."""
    for node in list(graph):
        if node.op_type == "Concat" and not node.domain:
            full = [x for x in node.inputs if not is_empty(x)]
            if 0 < len(full) < len(node.inputs):
                replace_inputs(node, full)
    prune(graph)


def is_empty(value: ir.Value | None) -> bool:
    """Return whether the value is known to have no elements."""
    return value is not None and value.shape is not None and 0 in value.shape


def replace_inputs(node: ir.Node, values: list[ir.Value | None]) -> None:
    """Replace all inputs of a node."""
    for index, value in enumerate(values):
        node.replace_input_with(index, value)
    node.resize_inputs(len(values))


#: An end at or above this is beyond the end of any dimension.
WHOLE = 2**31 - 1


def remove_identity(graph: ir.Graph, keep: Set[str]) -> None:
    """Remove every such node."""
    for node in list(graph):
        if is_identity(node) and not node.outputs[0].is_graph_output():
            node.outputs[0].replace_all_uses_with(node.inputs[0])
    prune(graph)


def is_identity(node: ir.Node) -> bool:
    """Return whether the node does nothing: its output equals its input, and gradients go through it."""
    if node.domain or NO_GRADIENT.stands_in(node):
        return False
    if node.op_type == "Cast":
        x = node.inputs[0]
        return x is not None and x.dtype == ir.DataType.FLOAT and attribute(node, "to") == ir.DataType.FLOAT
    if node.op_type == "CastLike":
        return all(v is not None and v.dtype == ir.DataType.FLOAT for v in node.inputs)
    return node.op_type == "Identity" or (node.op_type == "Slice" and takes_all(node))


def takes_all(node: ir.Node) -> bool:
    """Return whether a Slice takes everything, from 0 to beyond the end of any dimension.

    Exporters write x[:, a:b] as a Slice along each axis, even if the axis is a symbolic batch.
    """
    starts, ends = constant_array(node.inputs[1]), constant_array(node.inputs[2])
    steps = np.array(1) if len(node.inputs) < 5 or node.inputs[4] is None else constant_array(node.inputs[4])
    if starts is None or ends is None or steps is None:
        return False
    return bool((starts == 0).all() and (ends >= WHOLE).all() and (steps == 1).all())


def remove_dropout(graph: ir.Graph, keep: Set[str]) -> None:
    """Bypass every Dropout."""
    for node in list(graph):
        if node.op_type == "Dropout" and not node.domain:
            if len(node.outputs) > 1 and node.outputs[1].name:
                keep_all(graph, node)
            bypass(node)
    sort_nodes(graph)
    prune(graph)


def keep_all(graph: ir.Graph, node: ir.Node) -> None:
    """Replace the mask of a Dropout with one that is all true."""
    builder, mask = Builder(graph), node.outputs[1]
    name = str(mask.name)
    shape = builder.op("Shape", node.inputs[0], name=f"{name}.shape")
    kept = builder.constant(np.array(True), f"{name}.kept")
    everywhere = builder.op("Expand", kept, shape, name=f"{name}.everywhere")
    everywhere.shape, everywhere.type = node.inputs[0].shape, ir.TensorType(ir.DataType.BOOL)
    mask.replace_all_uses_with(everywhere, replace_graph_outputs=True)
    mask.name, everywhere.name = f"{name}.dropped", name


def bypass(node: ir.Node) -> None:
    """Replace the first output with the input; a graph output keeps its name on an Identity."""
    if node.outputs[0].is_graph_output():
        identity = ir.node("Identity", [node.inputs[0]], name=node.name)
        node.graph.insert_before(node, identity)
        output, name = node.outputs[0], node.outputs[0].name
        identity.outputs[0].shape, identity.outputs[0].type = output.shape, output.type
        outputs = node.graph.outputs
        outputs[:] = [identity.outputs[0] if o is output else o for o in outputs]
        output.name, identity.outputs[0].name = f"{name}.dropped", name
        output.replace_all_uses_with(identity.outputs[0])
    else:
        node.outputs[0].replace_all_uses_with(node.inputs[0])
