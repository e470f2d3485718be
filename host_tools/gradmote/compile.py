"""Flattens artifacts into one image: fixes the batch, lowers each model to a program, optimizes, plans, writes."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
import onnx
import onnx_ir as ir

from . import records
from .artifacts import Artifacts, build_artifacts
from .errors import ModelError
from .frontend import infer_shapes, set_batch
from .frontend.shapes import require_shapes, settle_shapes
from .generated.optimizers import RULES
from .graph import prune
from .image import Layout, Placing, lay_out, write_image
from .losses import Loss
from .lowering import DTYPES, Lowering, Shared
from .optimizers import Optimizer
from .passes import pipeline
from .passes.batch_norm import training as batch_statistics
from .program import Binding, Buffer, Compiled, Instruction, Parameter, Program, Ref, Slot, Statistic, control_ref
from .registry import attach_functions
from .schemes import Scheme

#: Bytes that an image can address.
ADDRESSABLE = 2**32 - 1


@dataclass
class Options:
    """What the image should be able to do.

    batch: samples in one step; None: the model fixes all its dimensions. accumulate: keep gradients, so that several
    micro-batches can be averaged (programs train and optimizer) instead of the fused program step. dims: sizes of
    symbolic dimensions other than the batch. overwrite_inputs: a program may put other things where inputs were,
    for a smaller arena; they must then be given again for each run. Labels last. recompute: make cheap activations a
    second time where that lowers the peak. exact_plan: search for the smallest scratch, up to a minute a program (needs
    gradmote[exact]); tell: takes a line of progress where that takes more than two seconds.
    """

    batch: int | None = 1
    accumulate: bool = False
    dims: Mapping[str, int] | None = None
    seed: int = 0
    properties: int = 4
    strip_names: bool = False
    overwrite_inputs: bool = False
    recompute: bool = True
    exact_plan: bool = False
    tell: Callable[[str], object] = lambda _: None


@dataclass
class Result:
    """An image with what was known when it was made. batch_norm: mode and number of layers, or None. shared: trained
    weights that several nodes use, and how many do."""

    image: bytes
    compiled: Compiled
    layout: Layout
    batch_norm: tuple[str, int] | None
    shared: dict[str, int]


def compile_model(
    model: onnx.ModelProto | str | os.PathLike[str] | bytes,
    loss: Loss | None = None,
    optimizer: Optimizer | None = None,
    options: Options | None = None,
    *,
    train: Sequence[str] | None = None,
    freeze: Sequence[str] | None = None,
    scheme: Scheme | str | None = None,
    outputs: Sequence[str] | None = None,
    batch_norm: str = "frozen",
    running_variance: str = "population",
) -> Result:
    """build_artifacts() and compile_image() in one call: from an ONNX model to an image that trains it.

    loss: of gradmote.losses; without one the image only infers. train / freeze: names or patterns of weights, all are
    trained by default; in their place, scheme: a Scheme or its text (`last:2`, `sparse:0.25`). outputs: those of the
    model to keep. batch_norm, running_variance: see build_artifacts.
    """
    made = build_artifacts(
        model,
        train,
        loss,
        optimizer,
        freeze=freeze,
        scheme=scheme,
        outputs=outputs,
        batch_norm=batch_norm,
        running_variance=running_variance,
    )
    return compile_image(made, options)


def compile_image(artifacts: Artifacts, options: Options | None = None) -> Result:
    """One .mote image. Raises ModelError or UnsupportedOperator; never a half-compiled image."""
    compiled = flatten(artifacts, options or Options())
    pipeline.optimize(compiled)
    layout = lay_out(compiled, placing(options) if options and options.exact_plan else None)
    if layout.arena_size > ADDRESSABLE:
        raise ModelError(f"the model needs {layout.arena_size:,} bytes", "use a smaller batch; addresses have 32 bits")
    image = write_image(compiled, layout, (options or Options()).strip_names)
    return Result(image, compiled, layout, artifacts.batch_norm(), artifacts.shared_weights())


def placing(options: Options) -> Placing:
    from .plan.exact import place_exactly

    return functools.partial(place_exactly, tell=options.tell)


def flatten(artifacts: Artifacts, options: Options) -> Compiled:
    """All programs as instructions, not yet optimized."""
    control = Buffer("control", records.size_of("control"), "control")
    shared = Shared(control, overwrites_inputs=options.overwrite_inputs)
    parameters = [parameter(n, a, options.accumulate) for n, a in artifacts.parameters.items()]
    statistics = [statistic(n, a) for n, a in artifacts.statistics.items()]
    shared.state.update({piece.name: Ref(piece.buffer) for piece in (*parameters, *statistics)})
    programs = [lower_forward(artifacts.inference, "infer", shared, options)]
    if artifacts.evaluation is not None:
        programs.append(lower_forward(artifacts.evaluation, "eval", shared, options))
    slots: list[Slot] = []
    if artifacts.training is not None:
        programs += training_programs(artifacts, parameters, slots, shared, options)
    return Compiled(
        programs,
        parameters,
        statistics,
        slots,
        control,
        list(shared.inputs.values()),
        options.batch or 1,
        artifacts.learning_rate,
        frozen_digest(artifacts),
        options.seed,
        options.properties,
        artifacts.scheme(),
        options.recompute,
    )


def parameter(name: str, array: np.ndarray, accumulate: bool) -> Parameter:
    data = np.ascontiguousarray(array, np.float32).tobytes()
    gradient = Buffer(f"{name}_grad", len(data), "gradient") if accumulate else None
    return Parameter(name, tuple(array.shape), Buffer(name, len(data), "parameter", data), gradient)


def statistic(name: str, array: np.ndarray) -> Statistic:
    data = np.ascontiguousarray(array, np.float32).tobytes()
    return Statistic(name, tuple(array.shape), Buffer(name, len(data), "statistic", data))


def frozen_digest(artifacts: Artifacts) -> bytes:
    """SHA-256 over the weights of the inference model that are not trained."""
    digest = hashlib.sha256()
    for tensor in sorted(artifacts.inference.graph.initializer, key=lambda t: t.name):
        if tensor.name not in artifacts.parameters and tensor.name not in artifacts.statistics:
            digest.update(tensor.name.encode() + b"\0" + onnx.numpy_helper.to_array(tensor).tobytes())
    return digest.digest()


# ---- forward programs


def concrete(proto: onnx.ModelProto, options: Options, keep: Set[str]) -> ir.Model:
    """The model with all shapes fixed, and all that does not depend on the values in `keep` folded."""
    model = ir.from_proto(proto)
    for name in json.loads(model.metadata_props.get("gradmote.labels", "[]")):
        next(v for v in model.graph.inputs if v.name == name).meta["gradmote.label"] = True
    model = set_batch(model, options.batch, options.dims)
    model = settle_shapes(model, keep)
    if pipeline.decompose(model.graph, keep):
        model = settle_shapes(infer_shapes(attach_functions(model)), keep)
    require_shapes(model.graph)
    return model


def lower_forward(proto: onnx.ModelProto, kind: str, shared: Shared, options: Options) -> Program:
    """The program infer or eval."""
    program = Program(kind)
    graph = concrete(proto, options, set(shared.state)).graph
    lowering = Lowering(program, shared)
    lowering.run(graph)
    for index, value in enumerate(graph.outputs):
        bind_output(lowering, value, "loss" if kind == "eval" and index == 0 else "output")
    return program


def bind_output(lowering: Lowering, value: ir.Value, role: str) -> None:
    """Outputs lie in scratch of their own: one that is an input or a parameter as it stands is copied there."""
    ref = lowering.ref(value)
    given = [b.ref.buffer for b in lowering.shared.inputs.values()]
    if ref.buffer.region != "scratch" or ref.buffer in given:
        source, ref = ref, Ref(Buffer(f"{value.name}.output", 4 * lowering.elements(value), "scratch"))
        copy(lowering, value, source, ref)
    if role == "loss" and lowering.elements(value) != 1:
        role = "output"  # reduction none: one loss a sample
    shape = tuple(int(d) for d in value.shape)  # type: ignore[union-attr, arg-type]
    dtype = DTYPES.get(value.dtype, "f32")  # type: ignore[arg-type]
    lowering.program.bindings.append(Binding(str(value.name), role, dtype, shape, ref))


def copy(lowering: Lowering, value: ir.Value, source: Ref, target: Ref) -> None:
    """The contiguous elements of `value`, from one place to another."""
    n = lowering.elements(value)
    params: dict[str, int | float] = {"d5": n}
    params |= {f"d{i}": 1 for i in range(5)}
    params |= {f"{w}{i}": int(i == 5) for w in "st" for i in range(6)}
    instruction = Instruction("COPY", {"x": source, "y": target}, params, str(value.name), reason="a place for the API")
    lowering.program.instructions.append(instruction)


# ---- training programs


def training_programs(
    artifacts: Artifacts, parameters: Sequence[Parameter], slots: list[Slot], shared: Shared, options: Options
) -> list[Program]:
    """train and optimizer where gradients are kept, else step."""
    if artifacts.optimizer is not None:
        slots += optimizer_slots(artifacts.optimizer)
    if options.accumulate:
        programs = [lower_training(artifacts, Program("train"), shared, options)]
        if artifacts.optimizer is not None:
            programs.append(kept_gradients_optimizer(artifacts.optimizer, parameters, slots, shared))
        return programs
    if artifacts.optimizer is None:
        raise ModelError(
            "without an optimizer there is nothing to do with gradients",
            "give --optimizer, or --accumulate to read them",
        )
    step = lower_training(artifacts, Program("step"), shared, options)
    one = shared.constant(np.float32(1).tobytes())
    lower_optimizer(artifacts.optimizer, step, step.gradients, one, slots, shared)
    return [step]


def lower_training(artifacts: Artifacts, program: Program, shared: Shared, options: Options) -> Program:
    """Forward, loss, gradients and new running statistics. Data and loss are checked before anything that could change
    the state."""
    assert artifacts.training is not None
    graph = concrete(artifacts.training, options, set(shared.state)).graph
    batch_statistics.check(graph)
    outputs, gradients, updates = split_outputs(graph, len(artifacts.parameters), len(artifacts.statistics))
    lowering = Lowering(program, shared)
    for value in graph.inputs:
        lowering.bind_input(value)
        if value.name in shared.inputs and shared.inputs[value.name].dtype == "f32" and value.uses():
            check_finite(lowering, value)
    lowering.run(graph)
    bind_output(lowering, outputs[0], "loss")
    check_finite(lowering, outputs[0])
    for value in outputs[1:]:
        bind_output(lowering, value, "output")
    program.gradients = {n: lowering.ref(g) for n, g in zip(artifacts.parameters, gradients, strict=True)}
    for name, value in zip(artifacts.statistics, updates, strict=True):
        copy(lowering, value, lowering.ref(value), shared.state[name])
    return program


def split_outputs(
    graph: ir.Graph, parameters: int, statistics: int
) -> tuple[list[ir.Value], list[ir.Value], list[ir.Value]]:
    """A training graph's outputs: loss and what was asked for, gradients, new statistics."""
    outputs = list(graph.outputs)
    last = len(outputs) - statistics
    return outputs[: last - parameters], outputs[last - parameters : last], outputs[last:]


def check_finite(lowering: Lowering, value: ir.Value) -> None:
    instruction = Instruction(
        "CHECK_FINITE", {"x": lowering.ref(value)}, {"n": lowering.elements(value)}, str(value.name)
    )
    lowering.program.instructions.append(instruction)


@dataclass
class OptimizerGraph:
    """The optimizer model, its inputs told apart by position: their names are what the weights left free."""

    graph: ir.Graph
    rates: list[ir.Value]  # learning_rate, gradient_scale
    parameters: list[ir.Value]
    gradients: list[ir.Value]
    slots: list[ir.Value]


def optimizer_graph(proto: onnx.ModelProto) -> OptimizerGraph:
    """Inputs: two rates; parameter, gradient and moments of each parameter; bias correction where the rule has it."""
    model = ir.from_proto(proto)
    rule = RULES[model.metadata_props["gradmote.optimizer"]]
    inputs = list(model.graph.inputs)
    end, step = len(inputs) - rule["aux"], 2 + rule["slots"]
    groups = [inputs[i : i + step] for i in range(2, end, step)]
    slots = [*(m for group in groups for m in group[2:]), *inputs[end:]]
    return OptimizerGraph(model.graph, inputs[:2], [g[0] for g in groups], [g[1] for g in groups], slots)


def optimizer_slots(proto: onnx.ModelProto) -> list[Slot]:
    """State for the moments and the bias correction."""
    slots = []
    for value in optimizer_graph(proto).slots:
        shape = tuple(int(d) for d in value.shape)  # type: ignore[union-attr, arg-type]
        slots.append(Slot(str(value.name), shape, Buffer(str(value.name), 4 * int(np.prod(shape)), "slot")))
    return slots


def kept_gradients_optimizer(
    proto: onnx.ModelProto, parameters: Sequence[Parameter], slots: Sequence[Slot], shared: Shared
) -> Program:
    """The program optimizer, on the mean of the accumulated gradients."""
    program = Program("optimizer")
    gradients = {p.name: Ref(p.gradient) for p in parameters if p.gradient is not None}
    scale = control_ref(shared.control, "gradient_scale")
    lower_optimizer(proto, program, gradients, scale, slots, shared)
    return program


def lower_optimizer(
    proto: onnx.ModelProto,
    program: Program,
    gradients: Mapping[str, Ref],
    scale: Ref,
    slots: Sequence[Slot],
    shared: Shared,
) -> None:
    """Appends the optimizer model; gradients: by parameter, in state order."""
    inputs = optimizer_graph(proto)
    refs = [control_ref(shared.control, "learning_rate"), scale]
    refs += [shared.state[name] for name in gradients]
    refs += gradients.values()
    refs += [Ref(slot.buffer) for slot in slots]
    values = [*inputs.rates, *inputs.parameters, *inputs.gradients, *inputs.slots]
    prune(inputs.graph)
    lowering = Lowering(program, shared, "update")
    for value, ref in zip(values, refs, strict=True):
        lowering.place(value, ref)
    lowering.run(inputs.graph)
