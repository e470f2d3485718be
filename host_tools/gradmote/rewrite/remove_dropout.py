"""The pass that removes Dropout from graphs that do not train.

Whatever its input training_mode says, its first output is its input, and its mask is all true.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ..ir.graph import Builder, prune, sort_nodes


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Bypass every Dropout."""
    for node in list(graph):
        if node.op_type == "Dropout" and not node.domain:
            if len(node.outputs) > 1 and node.outputs[1].name:
                keep_all(graph, node)
            bypass(node)
    sort_nodes(graph)
    prune(graph)


def keep_all(graph: ir.Graph, node: ir.Node) -> None:
    """Replace the mask of a Dropout by one that is all true."""
    builder, mask = Builder(graph), node.outputs[1]
    name = str(mask.name)
    shape = builder.op("Shape", node.inputs[0], name=f"{name}.shape")
    kept = builder.constant(np.array(True), f"{name}.kept")
    everywhere = builder.op("Expand", kept, shape, name=f"{name}.everywhere")
    everywhere.shape, everywhere.type = node.inputs[0].shape, ir.TensorType(ir.DataType.BOOL)
    mask.replace_all_uses_with(everywhere, replace_graph_outputs=True)
    mask.name, everywhere.name = f"{name}.dropped", name


def bypass(node: ir.Node) -> None:
    """Replace the first output by the input; a graph output keeps its name on an Identity."""
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
