"""BatchNormalization with statistics of the batch: the running ones become state. The nodes stay, and mean inference;
the pass `training` rewrites those of a training graph, `inference` the others.
"""

from __future__ import annotations

import json
from collections.abc import Set

import onnx_ir as ir

from ...errors import UnsupportedOperator
from ...graph import Builder, constant_array, describe, note_weights, noted_weights, prune, take_over
from .shared import batch_norms

_STATISTICS = "gradmote.statistics"


def run(graph: ir.Graph, keep: Set[str]) -> None:
    claimed: list[str] = []
    for node in batch_norms(graph):
        claimed += statistics(node)
        infer(graph, node)
    note_weights(graph, [n for n in noted_weights(graph) or () if n not in claimed])
    graph.metadata_props[_STATISTICS] = json.dumps(claimed)
    prune(graph)
    graph.sort()


def running_statistics(graph: ir.Graph) -> list[str]:
    """Names of the running means and variances that are state."""
    return list(json.loads(graph.metadata_props.get(_STATISTICS, "[]")))


def statistics(node: ir.Node) -> list[str]:
    """Names of running mean and variance. Raises UnsupportedOperator where they are not the node's own."""
    for value in node.inputs[3:5]:
        if constant_array(value) is None or len(list(value.uses())) != 1:
            raise UnsupportedOperator(
                f"BatchNormalization whose running statistics '{value.name}' are not its own",
                "export the model with an initializer for each, or use --batch-norm frozen",
                describe(node),
            )
    return [str(value.name) for value in node.inputs[3:5]]


def infer(graph: ir.Graph, node: ir.Node) -> None:
    """A model that was exported in training mode has the new statistics as outputs, which nobody needs here."""
    if any(o.uses() or o.is_graph_output() for o in node.outputs[1:]):
        raise UnsupportedOperator(
            "BatchNormalization whose new statistics are used in the model", "remove these outputs", describe(node)
        )
    attributes = {a.name: a.value for a in node.attributes.values() if a.name != "training_mode"}
    y = node.outputs[0]
    take_over(graph, y, Builder(graph).op("BatchNormalization", *node.inputs, name=f"{y.name}.normal", **attributes))
