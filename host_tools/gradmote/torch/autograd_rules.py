"""Autograd's rules beside the operators of a module: norms that learn statistics, detach(), no_grad(), padding.

The exporter drops all of it. Here it is read from the exported program, whose values have the names
of the ONNX model's, and is written into the model.
"""

from __future__ import annotations

import onnx
import torch
from torch.fx import Node

from ..errors import ModelError
from ..ir.metadata import STOP_GRADIENT

_ATEN = torch.ops.aten


def detach_without_grad(program: torch.export.ExportedProgram) -> None:
    """Detach the results of each region of torch.no_grad(), which the exporter puts inline."""
    graph = program.graph
    for region in [node for node in graph.nodes if is_without_grad(node)]:
        for result in list(region.users):
            users = list(result.users)
            with graph.inserting_after(result):
                detached = graph.call_function(_ATEN.detach.default, (result,))
            detached.meta = dict(result.meta)
            for user in users:
                user.replace_input_with(result, detached)
    program.graph_module.recompile()


def is_without_grad(node: Node) -> bool:
    """Return whether a node is a region of torch.no_grad()."""
    return "wrap_with_set_grad_enabled" in str(node.target) and node.args[0] is False


def mark(model: onnx.ModelProto, program: torch.export.ExportedProgram) -> None:
    """Write into the model what autograd does beside its operators.

    Raises ModelError for an embedding that divides gradients by the frequency of tokens, or limits norms.
    """
    mark_statistics(model, program)
    makers = {name: node for node in model.graph.node for name in node.output}
    for node in program.graph.nodes:
        if node.target in (_ATEN.detach.default, _ATEN.detach_.default, _ATEN.lift_fresh_copy.default):
            note(maker_of(makers, node))
        elif node.target is _ATEN.embedding_renorm.default:
            raise ModelError(
                "an Embedding has max_norm, which changes rows as they are read", "make it without max_norm"
            )
        elif node.target is _ATEN.embedding.default:
            mark_padding(model, node, maker_of(makers, node))


def maker_of(makers: dict[str, onnx.NodeProto], node: Node) -> onnx.NodeProto:
    """Return the ONNX node that makes a value of the program."""
    if node.name not in makers:
        raise ModelError(f"the exported model has no value '{node.name}'", "use another version of PyTorch")
    return makers[node.name]


def note(node: onnx.NodeProto) -> None:
    """Let no gradient through a node."""
    node.metadata_props.append(onnx.StringStringEntryProto(key=STOP_GRADIENT, value="1"))


# ---- Embeddings


def mark_padding(model: onnx.ModelProto, node: Node, gather: onnx.NodeProto) -> None:
    """Let no gradient into the row of padding_idx: an index that names it takes the row without one."""
    settings = node.args[2:]
    padding = settings[0] if settings else -1
    if len(settings) > 1 and settings[1]:
        raise ModelError(f"'{gather.input[0]}' has scale_grad_by_freq", "make the Embedding without it")
    assert isinstance(padding, int)
    if padding < 0:
        return
    name, at = gather.output[0], list(model.graph.node).index(gather)
    gather.output[0] = f"{name}.rows"
    still = onnx.helper.make_node("Identity", [f"{name}.rows"], [f"{name}.still"], f"{name}.still")
    note(still)
    constants = {"padding": [padding], "last": [-1]}
    for key, numbers in constants.items():
        model.graph.initializer.append(onnx.helper.make_tensor(f"{name}.{key}", 7, [1], numbers))
    new = [
        still,
        onnx.helper.make_node("Equal", [gather.input[1], f"{name}.padding"], [f"{name}.is_padding"]),
        onnx.helper.make_node("Unsqueeze", [f"{name}.is_padding", f"{name}.last"], [f"{name}.mask"]),
        onnx.helper.make_node("Where", [f"{name}.mask", f"{name}.still", f"{name}.rows"], [name]),
    ]
    for offset, each in enumerate(new, 1):
        model.graph.node.insert(at + offset, each)


# ---- Normalizations


def mark_statistics(model: onnx.ModelProto, program: torch.export.ExportedProgram) -> None:
    """Give each BatchNormalization the mode that it has in the exported program, which the exporter drops."""
    buffers = program.graph_signature.inputs_to_buffers
    means = [node.args[3] for node in program.graph.nodes if uses_the_batch(node)]
    training = {buffers[mean.name].removeprefix("module.") for mean in means if isinstance(mean, Node)}
    for node in model.graph.node:
        if node.op_type == "BatchNormalization" and node.input[3] in training:
            node.attribute.append(onnx.helper.make_attribute("training_mode", 1))
            node.output.extend([f"{node.output[0]}.mean", f"{node.output[0]}.var"][: 3 - len(node.output)])


def uses_the_batch(node: Node) -> bool:
    """Return whether a node is a batch normalization with the batch's statistics, which moves running ones.

    ATen's operators have (x, weight, bias, running mean, running variance, training, ...), or are for
    training alone.
    """
    name = str(node.target)
    if node.op != "call_function" or "batch_norm" not in name or any(w in name for w in ("no_training", "no_stats")):
        return False
    return node.args[5] is not False
