"""The pass that writes a Loop with a known number of iterations as its body, that many times.

The number is known if it is constant, as after the batch is fixed, and if the body's condition follows from constants
and the number of the iteration: not from data.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.graph import Builder, constant_array, describe, unique_name, with_branches
from .fold_constants import run_reference
from .inline_branches import release, rename, replace_outputs
from .layers import name_layers

#: A Loop becomes at most this many nodes.
MAX_NODES = 20_000

#: Values of a body that follow from constants.
Known = dict[ir.Value, np.ndarray]


def run(graph: ir.Graph) -> bool:
    """Unroll every Loop whose number of iterations is known; return whether there was one.

    Raises UnsupportedOperator for one that is too long.
    """
    loops = [node for node in graph if node.op_type == "Loop" and not node.domain]
    known = [(node, count) for node in loops if (count := iterations(graph, node)) is not None]
    for node, count in known:
        unroll(graph, node, count)
    return bool(known)


def iterations(graph: ir.Graph, node: ir.Node) -> int | None:
    """Return how often a Loop runs its body; None if that follows from data."""
    most, go = (one_number(value) for value in node.inputs[:2])
    body = node.attributes["body"].as_graph()
    deciding, state = deciding_nodes(body), [constant_array(value) for value in node.inputs[2:]]
    if most is None or go is None:
        return None
    for count in range(int(most)):
        if not go:
            return count
        if (count + 1) * max(len(body), 1) > MAX_NODES:
            hint = "make the loop shorter, or write what it repeats as an operation on a whole tensor"
            raise UnsupportedOperator(f"a Loop makes more than {MAX_NODES:,} nodes", hint, describe(node))
        given = dict(zip(body.inputs, [np.array(count), np.array(True), *state]))
        values = known_values(graph, deciding, given)
        go, *state = [array_of(values, value) for value in body.outputs[: 1 + len(state)]]
        if go is None:
            return None
    return int(most)


def one_number(value: ir.Value | None) -> np.ndarray | None:
    """Return a constant number of iterations, or a condition; None if it is computed.

    Without a value it is more than any loop has, which is also true.
    """
    array = np.array(MAX_NODES + 1) if value is None else constant_array(value)
    return None if array is None or array.size != 1 else array.reshape(())


def deciding_nodes(body: ir.Graph) -> list[ir.Node]:
    """Return the nodes of a body on which the condition of the next iteration depends, over all iterations."""
    next_of = dict(zip(body.inputs[1:], body.outputs, strict=False))
    queue, seen, nodes = [body.outputs[0]], set[ir.Value](), set[ir.Node]()
    while queue:
        value = queue.pop()
        if value in seen:
            continue
        seen.add(value)
        if (node := value.producer()) is not None and node.graph is body:
            nodes.add(node)
            queue += [given for given in node.inputs if given is not None]
        elif value in next_of:
            queue.append(next_of[value])
    return [node for node in body if node in nodes]


def known_values(graph: ir.Graph, nodes: Sequence[ir.Node], given: dict[ir.Value, np.ndarray | None]) -> Known:
    """Return what follows from known inputs of a body, through these nodes."""
    values: Known = {value: array for value, array in given.items() if array is not None}
    for node in nodes:
        arrays = {value.name: array_of(values, value) for value in node.inputs if value is not None}
        if all(array is not None for array in arrays.values()):
            made = run_reference(graph, node, arrays) or []
            values.update(zip([output for output in node.outputs if output.name], made))
    return values


def array_of(values: Known, value: ir.Value) -> np.ndarray | None:
    """Return the data of a value that is known or constant, else None."""
    return values[value] if value in values else constant_array(value)


def unroll(graph: ir.Graph, node: ir.Node, count: int) -> None:
    """Replace a Loop with `count` copies of its body."""
    body = node.attributes["body"].as_graph()
    name_layers(body)
    share_constants(graph, body)
    if count == 0 and any(output.uses() or output.is_graph_output() for output in node.outputs[len(node.inputs) - 2 :]):
        hint = "export the model without the loop, or fix the size that it follows from with --shape"
        raise UnsupportedOperator("a Loop that never runs has no rows to join", hint, describe(node))
    builder, scanned = Builder(graph), list[list[ir.Value]]()
    carried: Sequence[ir.Value | None] = node.inputs[2:]
    go = builder.constant(np.array(True), f"{describe(node)}.go")
    for index in range(count):
        turn = builder.constant(index, f"{describe(node)}.turn")
        _, *results = copy(graph, node, body, [turn, go, *carried])
        scanned.append(results[len(carried) :])
        carried = results[: len(carried)]
    names = [str(output.name) for output in node.outputs[len(carried) :]]
    stacked = [stack(builder, rows, name) for rows, name in zip(zip(*scanned, strict=True), names)]
    release(node)
    replace_outputs(graph, node, [*carried, *stacked])  # type: ignore[list-item]


def share_constants(graph: ir.Graph, body: ir.Graph) -> None:
    """Move the initializers of a body, and of the graphs in it, to the graph, so that all copies use the same."""
    for inner in with_branches(body):
        for key, value in list(inner.initializers.items()):
            if value.is_graph_output():
                return_copy(inner, value)
            del inner.initializers[key]
            value.name = unique_name(graph, str(key))
            graph.register_initializer(value)


def return_copy(inner: ir.Graph, value: ir.Value) -> None:
    """Let a graph return an Identity of a value instead of the value."""
    node = ir.node("Identity", [value], name=f"{value.name}.same")
    node.outputs[0].name, node.outputs[0].shape, node.outputs[0].type = f"{value.name}.same", value.shape, value.type
    inner.append(node)
    inner.outputs[:] = [node.outputs[0] if output is value else output for output in inner.outputs]


def copy(graph: ir.Graph, node: ir.Node, body: ir.Graph, given: Sequence[ir.Value | None]) -> list[ir.Value]:
    """Insert a copy of a body before its Loop; return its outputs. given: its inputs."""
    made = body.clone(allow_outer_scope_values=True)
    values = dict(zip(made.inputs, given, strict=True))
    results = [values.get(output, output) for output in made.outputs]
    made.outputs.clear()
    for old, new in values.items():
        if old.uses():
            assert new is not None
            old.replace_all_uses_with(new)
    nodes = list(made)
    made.remove(nodes)
    rename(graph, node, nodes)
    graph.insert_before(node, nodes)
    return results  # type: ignore[return-value]


def stack(builder: Builder, rows: Sequence[ir.Value], name: str) -> ir.Value:
    """Return what the iterations made, as one tensor with a first axis that counts them."""
    axis = builder.constant([0], f"{name}.axis")
    parts = [builder.op("Unsqueeze", row, axis, name=f"{name}.part") for row in rows]
    return builder.op("Concat", *parts, name=f"{name}.parts", axis=0)
