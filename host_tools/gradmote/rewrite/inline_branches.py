"""The pass that replaces an If whose condition is known with the branch that it takes.

refuse_what_stays() refuses all other control flow by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import Builder, constant_array, describe, graphs_in, sort_nodes, unique_name

#: Operators that run graphs of their own -> the hint for a model that contains one.
CONTROL_FLOW = {
    "If": "fix what its condition depends on with --shape or --constant, or export the model without it",
    "Loop": "fix the batch or the sizes that its iterations follow from, with --batch or --shape, or export the model "
    "with LSTM, GRU or RNN instead; if it is PyTorch's EmbeddingBag, write Embedding and .sum(1), .mean(1) or .amax(1)",
    "Scan": "export the model with the loop unrolled, or with LSTM, GRU or RNN in its place",
    "SequenceMap": "export the model without sequences",
}
#: What is said of those that stay only because something about them is not known.
COMPUTED = {
    "If": "an If whose condition is computed from data",
    "Loop": "a Loop whose number of iterations is computed from data",
}


def run(graph: ir.Graph) -> bool:
    """Inline the branch of every If with a known condition; return whether there was one."""
    ready = [node for node in graph if is_if(node) and constant_array(node.inputs[0]) is not None]
    for node in ready:
        condition = constant_array(node.inputs[0])
        assert condition is not None
        inline(graph, node, "then_branch" if condition.reshape(-1)[:1].any() else "else_branch")
    return bool(ready)


def is_if(node: ir.Node) -> bool:
    """Return whether the node is ONNX's If."""
    return node.op_type == "If" and not node.domain


def inline(graph: ir.Graph, node: ir.Node, name: str) -> None:
    """Replace an If with the nodes and initializers of one of its branches."""
    branch = node.attributes[name].as_graph()
    results = list(branch.outputs)
    branch.outputs.clear()
    for key, value in list(branch.initializers.items()):
        del branch.initializers[key]
        value.name = unique_name(graph, str(key))
        graph.register_initializer(value)
    nodes = list(branch)
    branch.remove(nodes)
    rename(graph, node, nodes)
    graph.insert_before(node, nodes)
    release(node)
    replace_outputs(graph, node, results)


def rename(graph: ir.Graph, node: ir.Node, nodes: list[ir.Node]) -> None:
    """Give the nodes of a branch, and of the graphs in it, and their outputs names that are unique in the graph."""
    stem = describe(node).split(" ")[0]
    for inner in all_nodes(nodes):
        inner.name = unique_name(graph, f"{stem}/{inner.name or inner.op_type}")
        for output in inner.outputs:
            if output.name:
                output.name = unique_name(graph, f"{stem}/{output.name}")


def all_nodes(nodes: Iterable[ir.Node]) -> Iterator[ir.Node]:
    """Yield some nodes and those of the graphs in them."""
    for node in nodes:
        yield node
        yield from (inner for graph in graphs_in(node) for inner in all_nodes(graph))


def release(node: ir.Node) -> None:
    """Let the graphs in a node, which is about to go, use no values any more, so that these can go too."""
    for inner in all_nodes(inner for graph in graphs_in(node) for inner in graph):
        for index in range(len(inner.inputs)):
            inner.replace_input_with(index, None)


def replace_outputs(graph: ir.Graph, node: ir.Node, results: list[ir.Value]) -> None:
    """Replace a node's outputs with as many results; any further ones have no use.

    An output of the graph keeps its name, on an Identity.
    """
    builder = Builder(graph)
    for old, result in zip(list(node.outputs), results):
        new, name = result, old.name
        if old.is_graph_output():
            new = builder.op("Identity", result, name=f"{name}.taken")
            new.shape, new.type = result.shape, result.type
        old.replace_all_uses_with(new, replace_graph_outputs=True)
        if new is not result:
            old.name, new.name = f"{name}.untaken", name
    graph.remove(node, safe=True)
    sort_nodes(graph)


def refuse_what_stays(graph: ir.Graph) -> None:
    """Raise UnsupportedOperator for a node that runs a graph of its own."""
    for node in graph:
        if node.op_type in CONTROL_FLOW and not node.domain:
            what = COMPUTED.get(node.op_type, f"a {node.op_type}")
            raise UnsupportedOperator(f"{what} is not supported", CONTROL_FLOW[node.op_type], describe(node))
