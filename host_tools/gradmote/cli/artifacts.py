"""The command `gradmote artifacts`, which writes models that any ONNX runtime can train."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o
from .output import say, say_json

if TYPE_CHECKING:
    from ..artifacts.artifacts import Artifacts


def command(
    model: Annotated[Path, typer.Argument(help="The model to train: a .onnx file, opset 6 or newer.")],
    directory: Annotated[Path, typer.Option("--out", "-o", help="Where the four files go.")] = Path("artifacts"),
    loss: o.LossOption = o.LossName.cross_entropy,
    optimizer: o.OptimizerOption = o.OptimizerName.adamw,
    train: o.Train = None,
    freeze: o.Freeze = None,
    scheme: o.SchemeOption = None,
    output: o.Outputs = None,
    batch_norm: o.BatchNormOption = None,
    running_variance: o.RunningVarianceOption = o.RunningVariance.population,
    untie: o.Untie = False,
    tie: o.Tie = None,
    float_head: o.FloatHead = False,
    shape: o.Shapes = None,
    constant: o.Constants = None,
    loss_set: o.LossSettings = None,
    label_smoothing: o.LabelSmoothing = None,
    ignore_index: o.IgnoreIndex = None,
    mask: o.Mask = False,
    optimizer_set: o.OptimizerSettings = None,
    group: o.Groups = None,
    max_update: o.MaxUpdate = None,
    lr: o.LearningRate = 1e-3,
    prefix: Annotated[str, typer.Option(help="Put before each file's name.")] = "",
    as_json: o.AsJson = False,
) -> None:
    """Differentiate a model: write training, eval and optimizer models, and a checkpoint.

    The files are training_model.onnx, eval_model.onnx, optimizer_model.onnx and checkpoint.
    """
    from ..artifacts.build import build_artifacts
    from ..artifacts.files import artifact_outputs, write_artifacts

    outputs = artifact_outputs(directory, prefix, nominal=False)
    made = build_artifacts(
        str(model),
        train,
        o.make_loss(loss, loss_set, label_smoothing, ignore_index, mask),
        o.make_optimizer(optimizer, lr, optimizer_set, max_update, group),
        freeze=freeze,
        scheme=scheme,
        outputs=output,
        batch_norm=batch_norm and batch_norm.value,
        running_variance=running_variance.value,
        untie=untie,
        tie=o.parse_ties(tie),
        inputs=o.parse_inputs(shape, constant),
        float_head=float_head,
    )
    written = write_artifacts(made, outputs)
    if as_json:
        say_json({"files": [str(p) for p in written], "parameters": list(made.parameters)})
    else:
        _print(made, written)


def _print(made: Artifacts, written: list[Path]) -> None:
    """Print the written files, and what they train."""
    for path in written:
        say(f"{path}  {path.stat().st_size:,} bytes")
    count = sum(a.size for a in made.parameters.values())
    normalization = made.batch_norm()
    if normalization is not None:
        say(o.describe_batch_norm(*normalization))
    if made.shared_weights():
        say(o.describe_shared(made.shared_weights()))
    if made.left_out:
        say(o.describe_left_out(made.left_out))
    say(f"{count:,} parameters in {len(made.parameters)} tensors are trained: {', '.join(made.parameters)}")
