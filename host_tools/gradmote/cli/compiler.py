"""The options of every command that compiles a model, and the compiler that they set up."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from . import options as o

if TYPE_CHECKING:
    from ..artifacts.schemes import Scheme
    from ..compiler.compile import Result
    from ..compiler.options import Options
    from ..model.frontend import Inputs


@dataclass
class Settings:
    """The settings of a compilation.

    `selection` has `train`, `freeze` and `scheme`, and `forward` the settings of the model, as
    build_artifacts() takes them.
    """

    loss: Callable[..., Any] | None
    optimizer: Any
    options: Options
    selection: dict[str, Any]
    forward: dict[str, Any]


@dataclass(frozen=True)
class Compiler:
    """A compiler from a model's path to an image.

    `settings` returns what the options mean, or raises ModelError. What compiles is imported when
    it is used.
    """

    settings: Callable[[], Settings]

    def __call__(self, model: Path, scheme: Scheme | None = None) -> Result:
        """Compile the model; a scheme that is given replaces the selection of the options."""
        from ..compiler.compile import compile_model

        s = self.settings()
        selection = s.selection if scheme is None else {"scheme": scheme}
        return compile_model(str(model), s.loss, s.optimizer, s.options, **selection, **s.forward)


def compiler_of(
    loss: o.LossOption = None,
    optimizer: o.OptimizerOption = o.OptimizerName.sgd,
    batch: Annotated[int, typer.Option(help="Samples in one step.")] = 1,
    train: o.Train = None,
    freeze: o.Freeze = None,
    scheme: o.SchemeOption = None,
    accumulate: Annotated[
        bool,
        typer.Option(
            help="Keep gradients, so that micro-batches can be averaged. Needs a gradient for each parameter in RAM."
        ),
    ] = False,
    lr: o.LearningRate = 1e-3,
    optimizer_set: o.OptimizerSettings = None,
    max_update: o.MaxUpdate = None,
    loss_set: o.LossSettings = None,
    label_smoothing: o.LabelSmoothing = None,
    ignore_index: o.IgnoreIndex = None,
    mask: o.Mask = False,
    output: o.Outputs = None,
    batch_norm: o.BatchNormOption = None,
    running_variance: o.RunningVarianceOption = o.RunningVariance.population,
    untie: o.Untie = False,
    dim: Annotated[
        list[str] | None, typer.Option("--dim", metavar="NAME=N", help="Size of a symbolic dimension. Repeatable.")
    ] = None,
    shape: o.Shapes = None,
    constant: o.Constants = None,
    loss_scale: Annotated[
        float,
        typer.Option(
            "--loss-scale",
            metavar="FACTOR",
            help="A power of two that the loss is multiplied with, and its gradients divided by in the update: for "
            "gradients that underflow. Stores all gradients.",
        ),
    ] = 1.0,
    seed: Annotated[int, typer.Option(help="Seed of dropout.")] = 0,
    properties: Annotated[int, typer.Option(help="Slots for the application's own numbers, 32 bytes each.")] = 4,
    strip_names: Annotated[bool, typer.Option(help="Leave names out, for the smallest image.")] = False,
    image_version: Annotated[
        int,
        typer.Option(
            "--image-version",
            metavar="N",
            min=0,
            max=0xFFFFFFFF,
            help="A number to count up: firmware built with --rollback-protect refuses images with a lower one.",
        ),
    ] = 0,
    overwrite_inputs: Annotated[
        bool,
        typer.Option(
            "--overwrite-inputs",
            help="Let programs use the inputs' bytes for other things: less RAM, but inputs must be sent for each run.",
        ),
    ] = False,
    store: o.StoreSize = None,
    store_as: o.StoreForm = o.StoreAs.int8,
    store_data: o.StoreData = None,
    plan: Annotated[
        o.Plan,
        typer.Option(help="exact: search for the smallest scratch, up to a minute a program (needs gradmote[exact])."),
    ] = o.Plan.fast,
) -> Compiler:
    """Return the options of every command that compiles a model, as a Compiler."""

    def settings() -> Settings:
        from ..compiler.options import Options

        inputs = o.parse_inputs(shape, constant)
        return Settings(
            o.make_loss(loss, loss_set, label_smoothing, ignore_index, mask),
            o.make_optimizer(optimizer, lr, optimizer_set, max_update) if loss is not None else None,
            Options(
                batch_of(batch, inputs),
                accumulate,
                o.parse_dims(dim),
                seed,
                properties,
                strip_names,
                overwrite_inputs,
                store=o.make_store(store, store_as, store_data),
                exact_plan=plan is o.Plan.exact,
                tell=o.tell,
                image_version=image_version,
            ),
            {"train": train, "freeze": freeze, "scheme": scheme},
            {
                "outputs": output,
                "batch_norm": batch_norm and batch_norm.value,
                "running_variance": running_variance.value,
                "loss_scale": loss_scale,
                "untie": untie,
                "inputs": inputs,
            },
        )

    return Compiler(settings)


def batch_of(batch: int, inputs: Inputs | None) -> int | None:
    """Return the batch that the given shapes have, or None if they have none in common.

    Inputs such as states beside data have no common first dimension.
    """
    shapes = list(inputs.shapes.values()) if inputs is not None else []
    if not shapes or any(isinstance(d, str) for shape in shapes for d in shape):
        return batch
    firsts = {int(shape[0]) for shape in shapes if shape}
    return firsts.pop() if len(firsts) == 1 else None


def with_compiler(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of compiler_of() in place of its parameter `compiler`."""
    shared = parameters_of(compiler_of)

    @functools.wraps(command)
    def call(**given: Any) -> None:
        options = {p.name: given.pop(p.name) for p in shared}
        command(**given, compiler=compiler_of(**options))

    own = parameters_of(command)
    at = [p.name for p in own].index("compiler")
    parameters = [*own[:at], *shared, *own[at + 1 :]]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    return call


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a function, with annotations as objects."""
    hints = get_type_hints(function, function.__globals__, include_extras=True)
    return [p.replace(annotation=hints[p.name]) for p in inspect.signature(function).parameters.values()]
