"""gradmote compile: from an ONNX model to one flat image that a board trains."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o

if TYPE_CHECKING:
    from ..compile import Result
    from ..copies import Copy


def command(
    model: Annotated[Path, typer.Argument(help="The model: a .onnx file, opset 7 or newer.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The image to write; beside the model by default.")
    ] = None,
    loss: o.LossOption = None,
    optimizer: o.OptimizerOption = o.OptimizerName.sgd,
    batch: Annotated[int, typer.Option(help="Samples in one step.")] = 1,
    train: o.Train = None,
    freeze: o.Freeze = None,
    accumulate: Annotated[
        bool,
        typer.Option(
            help="Keep gradients, so that micro-batches can be averaged. Needs a gradient for each parameter in RAM."
        ),
    ] = False,
    lr: o.LearningRate = 1e-3,
    optimizer_set: o.OptimizerSettings = None,
    loss_set: o.LossSettings = None,
    label_smoothing: o.LabelSmoothing = None,
    ignore_index: o.IgnoreIndex = None,
    mask: o.Mask = False,
    output: o.Outputs = None,
    batch_norm: o.BatchNormOption = o.BatchNorm.frozen,
    running_variance: o.RunningVarianceOption = o.RunningVariance.population,
    dim: Annotated[
        list[str] | None, typer.Option("--dim", metavar="NAME=N", help="Size of a symbolic dimension. Repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of dropout.")] = 0,
    properties: Annotated[int, typer.Option(help="Slots for the application's own numbers, 32 bytes each.")] = 4,
    strip_names: Annotated[bool, typer.Option(help="Leave names out, for the smallest image.")] = False,
    as_json: o.AsJson = False,
) -> None:
    """Compile a model into a .mote image: differentiated, planned to the byte, ready to flash."""
    from ..compile import Options, compile_model
    from ..files import write_atomically

    loss_function = o.make_loss(loss, loss_set, label_smoothing, ignore_index, mask)
    update = o.make_optimizer(optimizer, lr, optimizer_set) if loss is not None else None
    settings = Options(batch, accumulate, o.parse_dims(dim), seed, properties, strip_names)
    result = compile_model(
        str(model),
        loss_function,
        update,
        settings,
        train=train,
        freeze=freeze,
        outputs=output,
        batch_norm=batch_norm.value,
        running_variance=running_variance.value,
    )
    path = out or model.with_suffix(".mote")
    write_atomically(path, result.image)
    typer.echo(json.dumps({"image": str(path), **summary(result)}) if as_json else describe(path, result))


def summary(result: Result) -> dict[str, object]:
    """Bytes of image and arena, by part."""
    from ..copies import kept_copies

    layout = result.layout
    return {
        "image_bytes": len(result.image),
        "arena_bytes": layout.arena_size,
        "state_bytes": layout.state_size,
        "parameters_bytes": layout.parameters_size,
        "gradients_bytes": layout.gradients_size,
        "inputs_bytes": layout.inputs_size,
        "batch": result.compiled.batch,
        "batch_norm": result.batch_norm,
        "shared_weights": result.shared,
        "trained": [p.name for p in result.compiled.parameters],
        "copies": [asdict(c) for c in kept_copies(result.compiled)],
        "scratch_bytes": {k: {"peak": p.peak, "lower_bound": p.bound} for k, p in layout.placements.items()},
    }


def describe_copies(copies: list[Copy]) -> list[str]:
    """One line on what layout did not save."""
    from ..copies import by_reason

    if not copies:
        return []
    return [f"            {len(copies)} copies, {sum(c.bytes for c in copies):,} B: {by_reason(copies)}"]


def describe(path: Path, result: Result) -> str:
    from ..copies import copies_of

    layout = result.layout
    lines = [
        f"{path}: image {len(result.image):,} B (flash), arena {layout.arena_size:,} B (RAM), "
        f"batch {result.compiled.batch}",
        f"  state {layout.state_size:,} B (parameters {layout.parameters_size:,} B), "
        f"gradients {layout.gradients_size:,} B, inputs {layout.inputs_size:,} B",
    ]
    for program in result.compiled.programs:
        placement = layout.placements[program.kind]
        lines.append(
            f"  {program.kind:<9} {len(program.instructions):>3} instructions, scratch {placement.peak:,} B "
            f"(lower bound {placement.bound:,} B)"
        )
        lines += describe_copies(list(copies_of(program)))
    if result.batch_norm is not None:
        lines.append(f"  {o.describe_batch_norm(*result.batch_norm)}")
    if result.shared:
        lines.append(f"  {o.describe_shared(result.shared)}")
    trained = ", ".join(p.name for p in result.compiled.parameters) or "nothing: this image only infers"
    return "\n".join([*lines, f"  trains {trained}"])
