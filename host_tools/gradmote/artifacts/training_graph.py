"""The graphs with a loss, and with its gradients, built from a forward graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from ..errors import ModelError
from ..frontend import infer_shapes
from ..frontend.registry import attach_functions
from ..ir.graph import Builder
from ..ir.metadata import ADDITIONAL, INPUT_GRADIENTS, LABELS, LOSS, OUTPUTS, PARAMETERS, STATISTICS, is_label
from ..rewrite import pipeline
from ..rewrite.batch_norm import training as batch_statistics
from ..rewrite.layers import layer_called
from .artifact_options import ArtifactOptions
from .autodiff import differentiate
from .loss_call import call_loss
from .real_outputs import real


def with_loss(forward: ir.Model, options: ArtifactOptions) -> ir.Model:
    """Return the forward graph with the loss as its first output, then the additional ones in their order.

    The model's remaining outputs follow. Labels are inputs.
    """
    model = forward.clone()
    graph = model.graph
    outputs = list(graph.outputs)
    taken = values_called(graph, options.loss_inputs, outputs) if options.loss_inputs else outputs
    with layer_called(graph, "loss"):
        value = call_loss(options.loss, graph, [real(graph, v) for v in taken])
    additional = values_called(graph, options.additional_outputs, outputs)  # the loss may have made some
    graph.outputs[:] = list(dict.fromkeys([value, *additional, *outputs]))
    OUTPUTS.write(model, [str(o.name) for o in outputs])
    ADDITIONAL.write(model, [str(o.name) for o in dict.fromkeys(additional) if o is not value])
    LOSS.write(model, str(value.name))
    LABELS.write(model, [str(v.name) for v in graph.inputs if is_label(v)])
    return infer_shapes(attach_functions(model))


def values_called(graph: ir.Graph, names: Sequence[str], outputs: Sequence[ir.Value]) -> list[ir.Value]:
    """Return the values of these names.

    Raises ModelError for a name that is not a node's output.
    """
    by_name = {v.name: v for node in graph for v in node.outputs}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise ModelError(
            f"the model has no value called {', '.join(missing)}", f"its outputs are {[o.name for o in outputs]}"
        )
    return [by_name[name] for name in names]


def with_gradients(scored: ir.Model, names: Sequence[str], options: ArtifactOptions) -> ir.Model:
    """Return the loss graph with the gradient of every parameter as an output.

    The outputs are the loss, the additional outputs, the gradients of loss_scale times the loss (first
    those of inputs that options.input_gradients names), and the new running statistics; other outputs of
    the model are dropped. names: the parameters.
    """
    model = scored.clone()
    if pipeline.decompose(model.graph, set(names)):
        model = infer_shapes(attach_functions(model))
    graph = model.graph
    for node in graph:
        if node.op_type == "Dropout" and not node.domain:
            set_training_mode(graph, node)
    loss = graph.outputs[0]
    by_name = {o.name: o for o in graph.outputs[1:]}
    graph.outputs[:] = [loss, *(by_name[n] for n in dict.fromkeys(options.additional_outputs))]
    statistics = STATISTICS.read(graph, [])
    PARAMETERS.write(model, list(names))
    STATISTICS.write(model, statistics)
    updates = batch_statistics.run(graph, options.running_variance)
    unused = [n for n in names if n not in graph.initializers]
    if unused:
        raise ModelError(f"the loss does not depend on {', '.join(unused)}", "train weights that the output depends on")
    inputs = inputs_called(graph, options.input_gradients)
    if inputs:
        INPUT_GRADIENTS.write(model, list(options.input_gradients))
    differentiate(graph, loss, [*inputs, *(graph.initializers[n] for n in names)], options.loss_scale)
    graph.outputs.extend(updates)
    expose_parameters(graph, [*names, *statistics])
    return infer_shapes(attach_functions(model))


def inputs_called(graph: ir.Graph, names: Sequence[str]) -> list[ir.Value]:
    """Return the inputs of these names.

    Raises ModelError for one that does not exist, or that is not float32.
    """
    known = {str(v.name): v for v in graph.inputs if v.dtype == ir.DataType.FLOAT and not is_label(v)}
    missing = [name for name in names if name not in known]
    if missing:
        raise ModelError(f"no float32 input is called {', '.join(missing)}", f"there are {', '.join(known)}")
    return [known[name] for name in names]


def set_training_mode(graph: ir.Graph, node: ir.Node) -> None:
    """Set the third input of a Dropout to true; without it, ONNX's Dropout is an identity."""
    ratio = node.inputs[1] if len(node.inputs) > 1 else None
    mode = Builder(graph).constant(np.array(True), f"{node.outputs[0].name}.training_mode")
    node.resize_inputs(3)
    node.replace_input_with(1, ratio)
    node.replace_input_with(2, mode)


def expose_parameters(graph: ir.Graph, names: Sequence[str]) -> None:
    """Make initializers inputs too, so that a caller may pass newer values."""
    for name in names:
        value = graph.initializers.get(name)
        if value is not None and not value.is_graph_input():
            graph.inputs.append(value)
