"""BatchNormalization with statistics of the batch: the running statistics become state.

The nodes stay, in their inference form. The pass `training` rewrites those of a training graph, and
run_inference() all others.
"""

from __future__ import annotations

from collections.abc import Set

import onnx_ir as ir

from ...errors import UnsupportedOperator
from ...ir.graph import Builder, attribute, constant_array, describe, prune, sort_nodes, take_over
from ...ir.metadata import STATISTICS, WEIGHTS
from .running_statistics import freeze
from .shared import batch_norms

#: The statistics among BatchNormalization's inputs, and the suffix of a copy's name.
SUFFIXES = {3: ".running_mean", 4: ".running_var"}


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Turn every node's running statistics into state, and record their names in the graph."""
    claimed: list[str] = []
    for node in batch_norms(graph):
        claimed += [own(graph, node, index) for index in SUFFIXES]
        infer(graph, node)
    WEIGHTS.write(graph, [n for n in WEIGHTS.read(graph, []) if n not in claimed])
    STATISTICS.write(graph, claimed)
    prune(graph)
    sort_nodes(graph)


def run_exported(graph: ir.Graph, keep: Set[str]) -> None:
    """Do so for the nodes that were exported in training mode, and freeze all others."""
    for node in batch_norms(graph):
        if not attribute(node, "training_mode", 0):
            freeze(graph, node)
    run(graph, keep)


def own(graph: ir.Graph, node: ir.Node, index: int) -> str:
    """Return the name of the node's running mean or variance, copied if other nodes use it too.

    Exporters merge initializers of equal values, so nodes may share one. Raises UnsupportedOperator if
    the model computes it.
    """
    value = node.inputs[index]
    array = constant_array(value)
    if array is None:
        raise UnsupportedOperator(
            f"BatchNormalization with a computed '{value.name}'", "make it an initializer", describe(node)
        )
    if len(list(value.uses())) > 1:
        value = Builder(graph).constant(array, f"{node.outputs[0].name}{SUFFIXES[index]}")
        node.replace_input_with(index, value)
    return str(value.name)


def infer(graph: ir.Graph, node: ir.Node) -> None:
    """Replace a node that was exported in training mode with its inference form.

    Such a node outputs the new statistics; raises UnsupportedOperator if these are used.
    """
    if any(o.uses() or o.is_graph_output() for o in node.outputs[1:]):
        raise UnsupportedOperator(
            "BatchNormalization whose new statistics are used in the model", "remove these outputs", describe(node)
        )
    attributes = {a.name: a.value for a in node.attributes.values() if a.name != "training_mode"}
    y = node.outputs[0]
    take_over(graph, y, Builder(graph).op("BatchNormalization", *node.inputs, name=f"{y.name}.normal", **attributes))
