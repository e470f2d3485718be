"""Training and eval models as they are in files: with the inputs and outputs of onnxruntime's.

In memory, a training model returns the gradients of one batch, and an eval model all outputs of the
user's model, because an image returns them. A file differs from that in two ways:

    training_model.onnx   returns <parameter>_grad.accumulation.out instead of a gradient g:
                          g if lazy_reset_grad, else <parameter>_grad.accumulation.buffer + g
    eval_model.onnx       returns only the loss and the additional outputs
"""

from __future__ import annotations

import onnx_ir as ir

from ..errors import ModelError
from ..ir.graph import Builder, prune
from ..ir.metadata import ADDITIONAL, INPUT_GRADIENTS, OUTPUTS, PARAMETERS, STATISTICS

RESET = "lazy_reset_grad"
BUFFER, SUM = "_grad.accumulation.buffer", "_grad.accumulation.out"


# ---- Writing


def training_in_file(training: ir.Model) -> ir.Model:
    """Return a copy of a training model that adds its gradients to buffers.

    Its last inputs are the buffers, and lazy_reset_grad of shape (1).
    """
    model = training.clone()
    graph, names = model.graph, with_gradient(model)
    at = slice(end := len(graph.outputs) - len(STATISTICS.read(model, [])) - len(names), end + len(names))
    builder, gradients = Builder(graph), list(graph.outputs[at])
    buffers = [
        builder.input(f"{n}{BUFFER}", ir.DataType.FLOAT, g.shape or ()) for n, g in zip(names, gradients, strict=True)
    ]
    given = builder.input(RESET, ir.DataType.BOOL, [1])
    if names:
        reset = typed(builder.op("Squeeze", given, name=f"{RESET}.scalar"), ir.DataType.BOOL, ir.Shape([]))
        graph.outputs[at] = [accumulated(builder, g, b, reset) for g, b in zip(gradients, buffers, strict=True)]
    return model


def with_gradient(training: ir.Model) -> list[str]:
    """Return the names of the inputs, then of the parameters, whose gradients a training model returns."""
    return [*INPUT_GRADIENTS.read(training, []), *PARAMETERS.read(training, [])]


def accumulated(builder: Builder, gradient: ir.Value, buffer: ir.Value, reset: ir.Value) -> ir.Value:
    """Return the gradient, or without a reset its sum with the buffer."""
    added = builder.op("Add", buffer, gradient, name=f"{buffer.name}.sum")
    typed(added, ir.DataType.FLOAT, gradient.shape)
    name = f"{str(buffer.name).removesuffix(BUFFER)}{SUM}"
    return typed(builder.op("Where", reset, gradient, added, name=name), ir.DataType.FLOAT, gradient.shape)


def typed(value: ir.Value, dtype: ir.DataType, shape: ir.Shape | None) -> ir.Value:
    """Give a value its type and shape, and return it."""
    value.type, value.shape = ir.TensorType(dtype), shape
    return value


def evaluation_in_file(evaluation: ir.Model) -> ir.Model:
    """Return a copy of an eval model that returns only the loss and the additional outputs."""
    model = evaluation.clone()
    model.graph.outputs[1 + len(ADDITIONAL.read(model, [])) :] = []
    return model


# ---- Reading


def as_in_memory(model: ir.Model) -> ir.Model:
    """Give a training or eval model from a file the outputs that it has in memory, and return it.

    A model that has them already stays as it is. Raises ModelError for a training model that returns the gradient of
    an input.
    """
    if INPUT_GRADIENTS.stands_in(model):
        raise ModelError(
            f"the training model returns the gradient of {', '.join(INPUT_GRADIENTS.read(model, []))}, an input",
            "leave it out of requires_grad to train parameters; onnxruntime can run the model itself",
        )
    graph = model.graph
    if PARAMETERS.stands_in(model):
        graph.outputs[:] = [gradient_of(output) for output in graph.outputs]
        prune(graph)
        graph.inputs[:] = [v for v in graph.inputs if v.name != RESET and not str(v.name).endswith(BUFFER)]
    elif ADDITIONAL.stands_in(model):
        made = {o.name: o for node in graph for o in node.outputs}
        restored = [made[name] for name in OUTPUTS.read(model, []) if name in made]
        graph.outputs[:] = list(dict.fromkeys([*graph.outputs, *restored]))
    return model


def gradient_of(output: ir.Value) -> ir.Value:
    """Return the gradient in a sum of accumulated() and any other output unchanged."""
    node = output.producer()
    if node is None or not str(output.name).endswith(SUM) or node.op_type != "Where" or node.inputs[1] is None:
        return output
    return node.inputs[1]
