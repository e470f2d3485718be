"""Compilation: artifacts become programs, which are optimized, planned and written to an image."""

from __future__ import annotations

import functools
import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pkgutil import resolve_name
from typing import Any

import numpy as np
import onnx

from ..artifacts.artifact_options import ArtifactOptions
from ..artifacts.artifacts import Artifacts
from ..artifacts.build import make
from ..artifacts.schemes import Scheme
from ..errors import ModelError
from ..formats import records
from ..formats.checkpoint import tensor_data
from ..formats.image import Layout, Placing, lay_out, write_image
from ..frontend import Inputs, Source, read_model
from ..frontend.batch import fix_dims, with_batch
from ..frontend.registry import TABLE
from ..frontend.samples_first import sample_axes, samples_first
from ..ir.collector import uncollected
from ..ir.graph import data_of
from ..ir.instruction import Buffer, Ref
from ..ir.lowering import Shared
from ..ir.program import Compiled, Parameter, Slot, Start, Statistic
from ..losses import Loss
from ..operators import Operator
from ..operators.int16 import with_int16
from ..optimizers import Optimizer
from . import sample_axis
from .class_names import class_names
from .options import Options, check_quantized_options
from .passes import pipeline
from .programs.forward import lower_forward
from .programs.training import training_programs
from .sample_store import store_of

log = logging.getLogger(__name__)

#: The most bytes that an image can address.
ADDRESSABLE = 2**32 - 1


@dataclass(frozen=True)
class Tradeoff:
    """The trade of memory for time that one recomputation plan makes.

    `arena` is bytes. `instructions` are the estimated machine instructions on a Cortex-M4F of the program that
    makes gradients, and `more` the relative increase over no plan: 0.3 for +30 %. `taken` marks the plan of the
    image; only its figures are measured on an image, the others are the search's estimates.
    """

    arena: int
    instructions: float
    more: float
    taken: bool = False


@dataclass
class Result:
    """An image with the facts known from its compilation.

    `batch_norm` is the mode and the number of layers, or None. `shared` maps each trained weight that several nodes
    use to the number of these nodes. `left_out` names single numbers of the model, which are trained only if the
    caller names them. `sample_axes` has the axis of samples in the model of each input and output that does not have
    them on its first axis, as the image does. `front` has the plans among which a search for recomputation chose, the
    fastest first; without such a search it is empty.
    """

    image: bytes
    compiled: Compiled
    layout: Layout
    batch_norm: tuple[str, int] | None
    shared: dict[str, int]
    left_out: list[str]
    sample_axes: dict[str, int]
    front: list[Tradeoff] = field(default_factory=list)

    def __repr__(self) -> str:
        """Return the sizes and what trains: the fields themselves fill pages."""
        count = len(self.compiled.parameters)
        trains = f"trains {count} parameters" if count else "only infers"
        sizes = f"image {len(self.image):,} bytes; arena {self.layout.arena_size:,} bytes"
        return f"<{type(self).__name__}: {sizes}; batch {self.compiled.batch}; {trains}>"

    def _repr_html_(self) -> str:
        """Return the memory map and the layers for a notebook; the room below that draws them is found by name."""
        return str(resolve_name("gradmote.report.analyze.notebook:result_as_html")(self))


def compile_model(
    model: Source,
    loss: Loss | None = None,
    optimizer: Optimizer | None = None,
    options: Options | None = None,
    *,
    train: Sequence[str] | None = None,
    freeze: Sequence[str] | None = None,
    scheme: Scheme | str | None = None,
    outputs: Sequence[str] | None = None,
    batch_norm: str | None = None,
    running_variance: str = "population",
    loss_scale: float = 1.0,
    untie: bool = False,
    tie: Sequence[tuple[str, str]] = (),
    inputs: Inputs | None = None,
    float_head: bool = False,
    check: bool | Mapping[str, np.ndarray] = False,
    **settings: Any,
) -> Result:
    """Compile an ONNX model to an image that trains it: build_artifacts(), then compile_image().

    `loss` is one of gradmote.losses; without one the image only infers. `train` and `freeze` are names or patterns
    of weights; all are trained by default. `scheme`, a Scheme or its text (`last:2`, `sparse:0.25`), replaces them.
    ArtifactOptions explains the other arguments. `settings` are fields of Options, such as batch=8, instead of
    `options`; passing both raises TypeError. `check` compares the image with its model on drawn samples, or on a
    batch of each input and label by name (gradmote.checking), and raises ModelError if they differ.

    A batch that the model fixes at 1 becomes the batch of the options if that is what the model means
    (gradmote.frontend.batch) and `inputs` do not say otherwise.
    """
    if loss is None and optimizer is not None:
        raise ModelError("an optimizer without a loss", "pass the loss too, or neither: then the image only infers")
    wanted = ArtifactOptions.training(
        train,
        freeze,
        scheme,
        loss=loss,
        optimizer=optimizer,
        outputs=outputs,
        batch_norm=batch_norm,
        running_variance=running_variance,
        loss_scale=loss_scale,
        untie=untie,
        tie=tie,
        inputs=inputs,
        float_head=float_head,
    )
    if options is not None and settings:
        raise TypeError(f"compile_model() got options= and {', '.join(settings)}: put all of them into the Options")
    return compile_with(model, wanted, options or Options(**settings), check)


def compile_with(
    model: Source, wanted: ArtifactOptions, options: Options, check: bool | Mapping[str, np.ndarray] = False
) -> Result:
    """Compile an ONNX model with the options of both stages, and check the image if asked."""
    made = artifacts_for(model, wanted, options)
    result = compile_image(made, options)
    if check is not False:
        from ..checking import check as compare
        from ..checking import require

        kept = keeping_gradients(result, made, options)
        samples = None if check is True else check
        own = samples_first(read_model(model), result.sample_axes) if wanted.inputs is None else None
        require(compare(result.image, kept, made, own, samples))
    return result


def keeping_gradients(result: Result, made: Artifacts, options: Options) -> bytes:
    """Return an image of the same artifacts that has names, and keeps gradients if it trains.

    That is the result's own image if it already does.
    """
    wanted = replace(options, accumulate=options.accumulate or made.training is not None, strip_names=False)
    return result.image if wanted == options else compile_image(made, wanted).image


def artifacts_for(model: Source, wanted: ArtifactOptions, options: Options) -> Artifacts:
    """Return the artifacts of an ONNX model; the options may choose its batch."""
    if wanted.inputs is not None:
        made = make(*with_inputs(model, wanted, options))
    else:
        made = make(model_for(model, options, wanted.outputs), wanted)
    check_finite(made.parameters)
    return made


def model_for(model: Source, options: Options, outputs: Sequence[str] | None = None) -> onnx.ModelProto:
    """Return the model with samples on the first axis; the options may choose its batch (gradmote.frontend.batch)."""

    def infer(proto: onnx.ModelProto, batch: int) -> bytes:
        made = make(proto, ArtifactOptions(outputs=outputs))
        return compile_image(made, Options(batch=batch, dims=options.dims)).image

    proto = read_model(model)
    axes = axes_of(proto, options, outputs)
    moved = samples_first(proto, axes)
    fix_dims(moved, options.dims or {})
    return with_batch(moved, options.batch, infer, axes)


def axes_of(proto: onnx.ModelProto, options: Options, outputs: Sequence[str] | None) -> dict[str, int]:
    """Return the axes of samples other than the first; none if the model fixes all its dimensions."""
    return {} if options.batch is None else sample_axes(proto, options.batch, options.dims, outputs)


def with_inputs(
    model: Source, wanted: ArtifactOptions, options: Options
) -> tuple[Source | onnx.ModelProto, ArtifactOptions]:
    """Return the model and the options, with the given shapes in the model if its samples have to move."""
    proto = read_model(model)
    (wanted.inputs or Inputs()).fix(proto)
    axes = axes_of(proto, options, wanted.outputs)
    return (samples_first(proto, axes), replace(wanted, inputs=None)) if axes else (model, wanted)


@uncollected
def compile_image(artifacts: Artifacts, options: Options | None = None) -> Result:
    """Compile artifacts to one .mote image.

    Raises ModelError or UnsupportedOperator; never returns a half-compiled image.
    """
    compiled = flatten(artifacts, options or Options())
    pipeline.optimize(compiled)
    sample_axis.settle(compiled)
    for program in compiled.programs:
        log.info("program %s: %d instructions", program.kind, len(program.instructions))
    layout = lay_out(compiled, placing(options) if options and options.exact_plan else None)
    if layout.arena_size > ADDRESSABLE:
        raise ModelError(f"the model needs {layout.arena_size:,} bytes", "use a smaller batch; addresses have 32 bits")
    log.info("planned: an arena of %s bytes", f"{layout.arena_size:,}")
    image = write_image(compiled, layout, (options or Options()).strip_names)
    return Result(
        image,
        compiled,
        layout,
        artifacts.batch_norm(),
        artifacts.shared_weights(),
        artifacts.left_out,
        artifacts.sample_axes(),
    )


def placing(options: Options) -> Placing:
    """Return the exact planner, with the options' `tell` as its progress callback."""
    from ..plan.exact import place_exactly

    return functools.partial(place_exactly, tell=options.tell)


def flatten(artifacts: Artifacts, options: Options) -> Compiled:
    """Return all programs as instructions, before optimization."""
    check_quantized_options(artifacts, options)
    control = Buffer("control", records.size_of("control"), "control")
    shared = Shared(control, operators_of(options), overwrites_inputs=options.overwrite_inputs)
    stored = with_masters(artifacts.parameters) if options.weights == "int16" else artifacts.parameters
    parameters = [parameter(n, a, options.accumulate) for n, a in stored.items()]
    statistics = [statistic(n, a) for n, a in artifacts.statistics.items()]
    shared.trains_integers = any(p.dtype != "f32" for p in parameters)
    shared.state.update({tensor.name: Ref(tensor.buffer) for tensor in (*parameters, *statistics)})
    shared.state_types.update({tensor.name: tensor.dtype for tensor in (*parameters, *statistics)})
    programs = [lower_forward(artifacts.models.inference, "infer", shared, options)]
    if artifacts.models.evaluation is not None:
        programs.append(lower_forward(artifacts.models.evaluation, "eval", shared, options))
    slots: list[Slot] = []
    if artifacts.models.training is not None:
        programs += training_programs(artifacts, parameters, slots, shared, options)
    kept = artifacts.start
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
        store_of(options.store, programs, list(shared.inputs.values()), options.seed),
        options.recompute,
        options.stream_rows,
        Start(kept.control, kept.properties) if kept is not None else None,
        options.image_version,
        options.saved,
        options.attention,
        class_names(options, programs, artifacts.classes()),
    )


def check_finite(parameters: Mapping[str, np.ndarray]) -> None:
    """Raise ModelError if a trained number is NaN or infinite: every step would be skipped."""
    for name, array in parameters.items():
        wrong = np.argwhere(~np.isfinite(array))
        if len(wrong):
            at = ", ".join(map(str, wrong[0]))
            message = f"'{name}' trains, but {len(wrong):,} of its {array.size:,} numbers are NaN or infinite"
            raise ModelError(f"{message}, the first at [{at}]", "export the model again from weights that are finite")


def with_masters(parameters: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the parameters, with int8 as 256 q + 128, so that an int8 weight is the high byte of its int16.

    Raises ModelError if there are no int8 parameters.
    """
    if all(array.dtype not in (np.int8, np.int16) for array in parameters.values()):
        raise ModelError("weights of int16, but no int8 weight trains", "leave --weights (weights=) out")
    return {
        name: (256 * array.astype(np.int16) + 128).astype(np.int16) if array.dtype == np.int8 else array
        for name, array in parameters.items()
    }


def operators_of(options: Options) -> Mapping[tuple[str, str], Operator]:
    """Return the operators; some lower the backward pass in the type of the options' gradients."""
    return TABLE if options.gradients == "float" else with_int16(TABLE)


def parameter(name: str, array: np.ndarray, accumulate: bool) -> Parameter:
    """Return the parameter with its initial bytes, and with a gradient buffer if `accumulate`."""
    dtype, data = tensor_data(array)
    gradient = Buffer(f"{name}_grad", 4 * array.size, "gradient") if accumulate else None
    return Parameter(name, tuple(array.shape), Buffer(name, len(data), "parameter", data), gradient, dtype=dtype)


def statistic(name: str, array: np.ndarray) -> Statistic:
    """Return the running statistic with its initial bytes."""
    dtype, data = tensor_data(array)
    return Statistic(name, tuple(array.shape), Buffer(name, len(data), "statistic", data), dtype=dtype)


def frozen_digest(artifacts: Artifacts) -> bytes:
    """Return the SHA-256 of the inference model's frozen weights."""
    digest = hashlib.sha256()
    weights = artifacts.models.inference.graph.initializers
    for name, data in data_of(artifacts.models.inference.graph, sorted(weights)).items():
        if name not in artifacts.parameters and name not in artifacts.statistics:
            digest.update(name.encode() + b"\0" + data.tobytes())
    return digest.digest()
