"""Dropout does nothing outside training: its first output is its input."""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import describe, prune


def run(graph: ir.Graph, keep: Set[str]) -> None:
    for node in list(graph):
        if node.op_type == "Dropout" and not node.domain:
            bypass(node)
    prune(graph)


def bypass(node: ir.Node) -> None:
    if len(node.outputs) > 1 and node.outputs[1].uses():
        raise UnsupportedOperator("the mask of a Dropout is used", "use only its first output", describe(node))
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
