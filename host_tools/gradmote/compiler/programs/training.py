"""The programs train and optimizer, or the program step, which combines both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from ...artifacts.artifacts import Artifacts
from ...errors import ModelError
from ...ir.generated.instructions import CheckFinite
from ...ir.lowering import Lowering, Shared
from ...ir.program import Parameter, Program, Slot
from ...rewrite.batch_norm import training as batch_statistics
from ..options import Options
from ..sample_axis import find_samples
from .forward import bind_output, concrete, copy, note_rows
from .optimizer import check_gradients, kept_gradients_optimizer, lower_optimizer, optimizer_slots


def training_programs(
    artifacts: Artifacts, parameters: Sequence[Parameter], slots: list[Slot], shared: Shared, options: Options
) -> list[Program]:
    """Return train and optimizer if gradients are kept, else step.

    Appends the optimizer's state to `slots`. Raises ModelError if gradients are neither kept nor
    applied.
    """
    optimizer = artifacts.models.optimizer
    if optimizer is not None:
        slots += optimizer_slots(optimizer, artifacts.start.tensors if artifacts.start else {}, options.moments)
    if options.accumulate:
        programs = [lower_training(artifacts, Program("train"), shared, options)]
        if optimizer is not None:
            programs.append(kept_gradients_optimizer(optimizer, parameters, slots, shared, artifacts.loss_scale()))
        return programs
    if optimizer is None:
        raise ModelError(
            "without an optimizer there is nothing to do with gradients",
            "give --optimizer, or --accumulate to read them",
        )
    step = lower_training(artifacts, Program("step"), shared, options)
    scale = shared.constant(np.float32(1 / artifacts.loss_scale()).tobytes())
    if artifacts.loss_scale() != 1.0:
        check_gradients(step, parameters)
    lower_optimizer(optimizer, step, step.gradients, scale, slots, shared)
    return [step]


def lower_training(artifacts: Artifacts, program: Program, shared: Shared, options: Options) -> Program:
    """Return `program` with the forward pass, loss, gradients and new running statistics appended.

    Data, loss and new statistics are checked before any instruction that could change the state.
    """
    assert artifacts.models.training is not None
    graph = concrete(artifacts.models.training, options, set(shared.state)).graph
    batch_statistics.check(graph)
    outputs, gradients, updates = split_outputs(graph, len(artifacts.parameters), len(artifacts.statistics))
    samples = find_samples(artifacts.models.training, graph, options.batch, options.dims or {})
    lowering = Lowering(program, shared, samples=samples)
    for value in graph.inputs:
        lowering.bind_input(value)
        if value.name in shared.inputs and shared.inputs[value.name].dtype == "f32" and value.uses():
            check_finite(lowering, value)
    lowering.run(graph)
    bind_output(lowering, outputs[0], "loss")
    check_finite(lowering, outputs[0])
    for value in outputs[1:]:
        bind_output(lowering, value, "output")
    program.gradients = {n: lowering.words(g) for n, g in zip(artifacts.parameters, gradients, strict=True)}
    for value in updates:
        check_finite(lowering, value)
    for name, value in zip(artifacts.statistics, updates, strict=True):
        copy(lowering, value, lowering.ref(value), shared.state[name])
    note_rows(lowering, samples, graph)
    return program


def split_outputs(
    graph: ir.Graph, parameters: int, statistics: int
) -> tuple[list[ir.Value], list[ir.Value], list[ir.Value]]:
    """Split a training graph's outputs into loss and requested outputs, gradients, and statistics."""
    outputs = list(graph.outputs)
    last = len(outputs) - statistics
    return outputs[: last - parameters], outputs[last - parameters : last], outputs[last:]


def check_finite(lowering: Lowering, value: ir.Value) -> None:
    """Append a CHECK_FINITE of all elements of `value`."""
    check = CheckFinite(x=lowering.ref(value), n=lowering.elements(value), origin=str(value.name))
    lowering.program.instructions.append(check)
