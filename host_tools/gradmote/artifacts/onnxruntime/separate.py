"""The eval model of onnxruntime-training, separated into the user's model and the loss on it.

The file does not mark the boundary between them. A label is an input that meets no weight on its way
to the loss. The loss consists of the nodes that a label takes part in, and those that onnxblock named:
their values are called onnx::<kind>::<number>.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import numpy_helper

from ...losses import Loss
from ...losses.from_nodes import LossNodes, loss_from_nodes
from ...losses.recognize import recognized

_BLOCK = re.compile(r"onnx::.+::\d+")


@dataclass(frozen=True)
class Separated:
    """The user's model, the loss on its outputs, and further values that the eval model returns."""

    forward: onnx.ModelProto
    loss: Loss
    additional: list[str]


@dataclass(frozen=True)
class Roles:
    """The label inputs, and the nodes of the loss."""

    labels: list[onnx.ValueInfoProto]
    loss: list[onnx.NodeProto]


def separate(model: onnx.ModelProto, parameters: Iterable[str]) -> Separated:
    """Return the user's model and the loss of an eval model whose weights are initializers.

    parameters: the weights in the checkpoint. The model's first output is the loss.
    """
    graph, weights = model.graph, set(parameters)
    roles = roles_of(graph, weights)
    result, *others = [value.name for value in graph.output]
    by_loss = {name for node in roles.loss for name in node.output}
    of_model = [name for name in others if name not in by_loss]
    nodes = needed([*static_nodes(graph), *roles.loss], [result, *(name for name in others if name in by_loss)])
    outputs = outputs_of(graph, nodes, of_model) or [result]
    constants = constants_of(graph, nodes, weights)
    given = LossNodes(nodes, result, outputs, roles.labels, constants, is_scalar(graph.output[0]))
    loss = recognized(given) if len(of_model) == len(others) else loss_from_nodes(given)
    return Separated(forward_part(model, roles, outputs), loss, others)


def is_scalar(value: onnx.ValueInfoProto) -> bool:
    """Return whether the value is known to have no dimensions."""
    return value.type.tensor_type.HasField("shape") and not value.type.tensor_type.shape.dim


# ---- Labels, and nodes of the loss


def roles_of(graph: onnx.GraphProto, parameters: set[str]) -> Roles:
    """Return the labels, and the nodes of the loss in their order."""
    weights = derived(graph, parameters, {tensor.name for tensor in graph.initializer})
    own = own_nodes(graph, weights)
    labels = [v for v in graph.input if not meets_weight(graph, v.name, weights, own)]
    fed = descendants(graph, [v.name for v in labels])
    static = {key(node) for node in static_nodes(graph)}
    loss = [node for node in graph.node if fed.intersection(node.output) or key(node) not in own]
    return Roles(labels, [node for node in loss if key(node) not in static])


def derived(graph: onnx.GraphProto, parameters: set[str], constants: set[str]) -> set[str]:
    """Return the parameters, and the values computed from them and constants alone.

    Sums over a weight are omitted: they are penalties that a loss adds.
    """
    weights, known = set(parameters), set(constants) | parameters
    for node in graph.node:
        inputs = {name for name in node.input if name}
        if inputs and inputs <= known:
            known.update(node.output)
            if inputs & weights and not node.op_type.startswith("Reduce"):
                weights.update(node.output)
    return weights


def key(node: onnx.NodeProto) -> str:
    """Return the name of the first value that the node computes, which is unique to it."""
    return next((name for name in node.output if name), "")


def static_nodes(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """Return the nodes that depend only on weights and constants, in their order."""
    known, found = {tensor.name for tensor in graph.initializer}, []
    for node in graph.node:
        if known.issuperset(name for name in (*node.input, *inner_names(node)) if name):
            known.update(node.output)
            found.append(node)
    return found


def own_nodes(graph: onnx.GraphProto, weights: set[str]) -> set[str]:
    """Return the keys of the nodes that are part of the user's model.

    They are those that onnxblock did not name. Named ones that lead to a weight are part of it too,
    such as a layer that a block put on top.
    """
    own = {key(node) for node in graph.node if not is_block(node)}
    needed: set[str] = set()
    for node in reversed(graph.node):
        takes_weight = weights.intersection(node.input) and not weights.issuperset(node.output)
        mixes = [name for name in node.input if name and name not in weights]
        if needed.intersection(node.output) or (takes_weight and is_block(node) and is_layer(node, mixes)):
            own.add(key(node))
            needed.update(mixes)
    return own


def is_layer(node: onnx.NodeProto, data: Sequence[str]) -> bool:
    """Return whether the node applies a weight to data, and is not a penalty that is added to a loss."""
    return bool(data) and node.op_type in ("Gemm", "MatMul", "Conv", "ConvTranspose")


def is_block(node: onnx.NodeProto) -> bool:
    """Return whether onnxblock named the node's result."""
    return any(_BLOCK.fullmatch(name) for name in node.output)


def meets_weight(graph: onnx.GraphProto, name: str, weights: set[str], own: set[str]) -> bool:
    """Return whether a node of the user's model combines values derived from the input with a weight."""
    reached = {name}
    for node in graph.node:
        if reached.intersection(node.input):
            reached.update(node.output)
            if key(node) in own and weights.intersection(node.input):
                return True
    return False


def descendants(graph: onnx.GraphProto, names: Iterable[str]) -> set[str]:
    """Return the values computed from these."""
    reached = set(names)
    for node in graph.node:
        if reached.intersection(node.input):
            reached.update(node.output)
    return reached.difference(names)


def needed(nodes: Sequence[onnx.NodeProto], results: Sequence[str]) -> list[onnx.NodeProto]:
    """Return the nodes that the results need, in their order."""
    names, kept = set(results), []
    for node in reversed(nodes):
        if names.intersection(node.output):
            names.update(node.input)
            kept.append(node)
    return kept[::-1]


# ---- The two parts


def outputs_of(graph: onnx.GraphProto, nodes: Sequence[onnx.NodeProto], additional: Sequence[str]) -> list[str]:
    """Return the values of the user's model that nodes of the loss read, and the additional outputs."""
    by_loss = {key(node) for node in nodes}
    made = {name for node in graph.node if key(node) not in by_loss for name in node.output if name}
    read = [name for node in nodes for name in node.input if name in made]
    return list(dict.fromkeys([*read, *additional]))


def constants_of(
    graph: onnx.GraphProto, nodes: Sequence[onnx.NodeProto], parameters: set[str]
) -> dict[str, np.ndarray]:
    """Return the data of the initializers that nodes of the loss read and that are not parameters."""
    read = {name for node in nodes for name in node.input} - parameters
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer if tensor.name in read}


def forward_part(model: onnx.ModelProto, roles: Roles, outputs: Sequence[str]) -> onnx.ModelProto:
    """Return the model without the loss, with these outputs."""
    forward = onnx.ModelProto()
    forward.CopyFrom(model)
    graph, labels = forward.graph, {value.name for value in roles.labels}
    by_loss = {key(node) for node in roles.loss}
    kept = needed_by([node for node in model.graph.node if key(node) not in by_loss], outputs)
    read = {name for node in kept for name in (*node.input, *inner_names(node))}
    replace(graph.node, kept)
    replace(graph.input, [v for v in model.graph.input if v.name not in labels or v.name in read])
    replace(graph.output, described(model, outputs))
    replace(graph.initializer, [t for t in model.graph.initializer if t.name in read])
    return forward


def described(model: onnx.ModelProto, names: Sequence[str]) -> list[onnx.ValueInfoProto]:
    """Return name, type and, if it can be inferred, the shape of values; float32 if nothing is known."""
    graph = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    known = {v.name: v for v in (*graph.value_info, *graph.output) if v.HasField("type")}
    return [known.get(n) or onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in names]


def needed_by(nodes: Sequence[onnx.NodeProto], outputs: Sequence[str]) -> list[onnx.NodeProto]:
    """Return the nodes that the outputs need, in their order."""
    names, kept = set(outputs), []
    for node in reversed(nodes):
        if names.intersection(node.output):
            names.update((*node.input, *inner_names(node)))
            kept.append(node)
    return kept[::-1]


def inner_names(node: onnx.NodeProto) -> set[str]:
    """Return the names that a node's branches or body read, which may come from outside."""
    graphs = [g for attribute in node.attribute for g in (attribute.g, *attribute.graphs)]
    inner = [n for graph in graphs for n in graph.node]
    return {name for n in inner for name in (*n.input, *inner_names(n))}


def replace(field, values) -> None:  # type: ignore[no-untyped-def]  # protobuf's repeated fields have no public type
    """Replace the elements of a repeated field with copies of others."""
    copies = [type(value)() for value in values]
    for copy, value in zip(copies, values, strict=True):
        copy.CopyFrom(value)
    del field[:]
    field.extend(copies)
