"""Compiles a module: its parameters, its loss and its optimizer to one image."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import onnx
import torch

from ..artifacts.artifacts import Artifacts
from ..artifacts.build import build_artifacts
from ..compiler.compile import Result, compile_image
from ..compiler.options import Options
from ..errors import ModelError
from ..losses.loss import Loss
from ..optimizers import Optimizer
from .against_autograd import COMPARED_NUMBERS, require_autograd
from .exporting import Exported, as_inputs, as_module, as_outputs, exported, keeping_buffers, several
from .losses import example_labels as labels_of
from .losses import exportable, from_export, known
from .made import Made, Recipe
from .optimizers import converted, order_of

log = logging.getLogger(__name__)


def compile(
    module: torch.nn.Module | torch.export.ExportedProgram,
    example_inputs: torch.Tensor | Sequence[torch.Tensor],
    loss: Callable[..., torch.Tensor] | None = None,
    optimizer: torch.optim.Optimizer | Optimizer | None = None,
    *,
    batch: int = 1,
    example_labels: torch.Tensor | Sequence[torch.Tensor] | None = None,
    check: bool | None = None,
    **options: Any,
) -> Made:
    """Compile a module to an image that trains its parameters with requires_grad.

    example_inputs: a tensor for each argument of forward(), of at least one sample. loss: a loss of torch.nn, or any
    function of the outputs and labels that returns a scalar; None for an image that only infers. example_labels: an
    example of each label of such a function; those of torch.nn need none. optimizer: torch.optim's SGD, Adam or AdamW
    over these parameters, or one of gradmote.optimizers. batch: samples of a step. check: whether to compare each
    gradient with autograd's on the example; by default for up to a million parameters. options: fields of
    gradmote.Options.

    Each submodule's train() or eval() decides what its Dropout and BatchNorm do while the image trains; evaluation and
    inference have running statistics and no Dropout. Buffers are constants. In an exported program these modes are
    those of its export, and the optimizer has its parameters(). Raises ModelError if the module cannot
    be exported, something in it is not taken, or a gradient is another than autograd's.
    """
    module = as_module(module)
    if (loss is None) != (optimizer is None):
        raise ModelError("a loss without an optimizer, or an optimizer without a loss", "pass both, or neither")
    update = None if optimizer is None else converted(optimizer, module)
    inputs = several(as_inputs(example_inputs), max(batch, 2))
    labels = given_labels(module, inputs, loss, example_labels)
    settings = Options(batch=batch, **options)
    try:
        made, artifacts, result = built(module, inputs, loss, labels, update, settings, is_open=True)
    except ModelError as error:
        log.info("exported for a batch of %d, since an open one fails: %s", batch, error)
        inputs, labels = several(inputs, batch), several(labels, batch)
        made, artifacts, result = built(module, inputs, loss, labels, update, settings, is_open=False)
    recipe = Recipe(artifacts, settings, made.parameters, made.ties, loss)
    order = order_of(optimizer, module) if isinstance(optimizer, torch.optim.Optimizer) else []
    whole = Made.of(recipe, result, module, optimizer, order)
    if loss is not None and (compares(module) if check is None else check):
        require_autograd(whole, module, (several(inputs, batch), several(labels, batch)))
    return whole


def compares(module: torch.nn.Module) -> bool:
    """Return whether a module is small enough to compare its gradients without being asked."""
    return sum(parameter.numel() for parameter in module.parameters()) <= COMPARED_NUMBERS


def given_labels(
    module: torch.nn.Module, inputs: tuple[torch.Tensor, ...], loss: Any, example: Any
) -> tuple[torch.Tensor, ...]:
    """Return labels for the inputs: those of the example, or those that the loss implies."""
    if loss is None:
        return ()
    if example is not None:
        given = (example,) if isinstance(example, torch.Tensor) else tuple(example)
        return several(given, inputs[0].shape[0])
    with torch.no_grad(), keeping_buffers(module):
        return labels_of(loss, as_outputs(module(*inputs)))


def built(
    module: torch.nn.Module,
    inputs: Sequence[torch.Tensor],
    loss: Any,
    labels: Sequence[torch.Tensor],
    update: Optimizer | None,
    settings: Options,
    *,
    is_open: bool,
) -> tuple[Exported, Artifacts, Result]:
    """Export the module, and compile it. is_open: whether the exported batch is open."""
    taken = None if loss is None else known(loss, labels)
    if loss is None or taken is not None:
        made = exported(module, inputs, is_open=is_open, trains=loss is not None)
        model = made.model
    else:
        made = exported(module, inputs, exportable(loss, labels), labels, is_open=is_open, trains=True)
        model, taken = from_export(made)
    artifacts = artifacts_of(model, made, taken, update and with_own_names(update, made, module))
    return made, artifacts, compile_image(artifacts, settings)


def with_own_names(update: Optimizer, made: Exported, module: torch.nn.Module) -> Optimizer:
    """Return the optimizer with groups by the initializers' names, without those that no output needs."""
    unused = {name for name, _ in module.named_parameters()} - set(made.parameters)
    named = {made.ties.get(name, name): own for name, own in update.groups.items()}
    return update.with_groups({name: own for name, own in named.items() if name not in unused})


def artifacts_of(model: onnx.ModelProto, made: Exported, loss: Loss | None, update: Optimizer | None) -> Artifacts:
    """Return the artifacts that train exactly the module's parameters.

    Running variances divide by n - 1, as PyTorch's do. Raises ModelError if none trains.
    """
    if loss is not None and not made.parameters:
        raise ModelError("no parameter of the module requires a gradient", "set requires_grad=True for those to train")
    has_statistics = any(node.op_type == "BatchNormalization" for node in model.graph.node)
    return build_artifacts(
        model,
        made.parameters if loss is not None else None,
        loss,
        update,
        batch_norm="exported" if has_statistics and loss is not None else None,
        running_variance="sample",
    )
