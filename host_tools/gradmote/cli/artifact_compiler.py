"""Compiles a folder of artifacts with the options of the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ModelError

if TYPE_CHECKING:
    from ..artifacts.artifacts import Artifacts
    from ..compiler.options import Options
    from .compiler import Compiler

#: The options for turning a model into artifacts, which therefore no longer apply.
_DECIDED = (
    "loss", "optimizer", "train", "freeze", "scheme", "optimizer_set", "group", "max_update", "loss_set",
    "label_smoothing", "ignore_index", "mask", "output", "batch_norm", "running_variance", "untie", "tie", "shape",
    "constant", "loss_scale", "float_head", "quantize", "calibrate", "activations",
)  # fmt: skip


def read_artifacts(
    compiler: Compiler, folder: Path, checkpoint: Path | None, was_given: Callable[[str], bool]
) -> tuple[Artifacts, Options, str]:
    """Return a folder of artifacts, the options for their image, and a line on its initial state.

    was_given: returns whether the command line has an option. Raises ModelError or CheckpointError.
    """
    from ..artifacts.directory import read_directory, with_rate

    check_options(compiler, was_given)
    made = read_directory(folder, checkpoint)
    if was_given("lr"):
        made = with_rate(made, compiler.lr)
    batch = compiler.batch if was_given("batch") else None
    return made, options_for(compiler, made, batch), went_on(made)


def check_options(compiler: Compiler, was_given: Callable[[str], bool]) -> None:
    """Raise ModelError for an option that the artifacts have already decided."""
    names = [field.name for field in fields(compiler) if field.name in _DECIDED and was_given(field.name)]
    if names:
        raise ModelError(
            f"--{option_name(names[0])} with --artifacts, which were generated with their own",
            "leave it out, or compile the model itself",
        )


def option_name(field: str) -> str:
    """Return the option of a field of Compiler, without its dashes."""
    return {"optimizer_set": "set"}.get(field, field.replace("_", "-"))


def options_for(compiler: Compiler, made: Artifacts, batch: int | None) -> Options:
    """Return the options, with room for the artifacts' properties.

    batch: None to use the batch fixed by the artifacts, or else that of the options.
    """
    from ..artifacts.resume import fixed_batch
    from ..formats.properties_trailer import fits_slot

    options = compiler.options()
    kept = made.start.properties if made.start is not None else {}
    fitting = sum(fits_slot(name, value) for name, value in kept.items())
    chosen = batch or fixed_batch(made) or options.batch
    return replace(options, batch=chosen, properties=max(options.properties, fitting))


def went_on(made: Artifacts) -> str:
    """Return one line on the initial state of the image."""
    from ..formats.properties_trailer import fits_slot

    start = made.start
    assert start is not None  # read_directory() gives one
    updates = int(start.control.get("optimizer_steps", 0))
    lost = [name for name, value in start.properties.items() if not fits_slot(name, value)]
    left = f"; not kept, because an image holds short names and 32-bit numbers: {', '.join(lost)}" if lost else ""
    return f"goes on from update {updates:,}, at the learning rate {made.learning_rate:g}{left}"
