"""The pass that removes no-op nodes, except those that make a graph output.

These are Identity, Cast and CastLike from float32 to float32, and Slices that take everything.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ..ir.graph import attribute, constant_array, prune

#: An end at or above this is beyond the end of any dimension.
WHOLE = 2**31 - 1


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Remove every such node."""
    for node in list(graph):
        if is_identity(node) and not node.outputs[0].is_graph_output():
            node.outputs[0].replace_all_uses_with(node.inputs[0])
    prune(graph)


def is_identity(node: ir.Node) -> bool:
    """Return whether the node's output equals its input."""
    if node.domain:
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
