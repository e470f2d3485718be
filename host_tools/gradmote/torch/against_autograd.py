"""Compares an image with autograd: the loss, each gradient, and one step of each parameter."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from rich.markup import escape

from gradmote_runtime import Session

from ..compiler.compile import keeping_gradients
from ..errors import ModelError
from ..formats.image import read_image
from ..terminal.terminal import console, table
from .exporting import as_inputs, as_module, as_outputs
from .made import Made
from .optimizers import begun_again, groups_of

#: A gradient below this part of the module's largest is compared with that part, and a step with this part of its
#: parameter: float32 has fewer digits of smaller ones.
OF_LARGEST, OF_PARAMETER = 1e-2, 1e-3
#: The largest relative error that float32 explains in a network of ordinary depth.
TOLERANCE = 1e-4
#: A gradient is another than autograd's beyond this, and so many times the error of autograd in float32.
ANOTHER, TIMES_ROUNDING = 1e-3, 30
#: How many points are compared before a gradient counts as another, and how far apart they are.
POINTS, NEARBY = 5, 1e-3
#: The most parameters that compile() compares by default.
COMPARED_NUMBERS = 1_000_000


@dataclass(frozen=True)
class Compared:
    """A parameter: relative errors of its gradient and of its step, |ours - theirs| / |theirs| by the 2-norm.

    The step is that of torch.optim from the image's own gradient; None without an optimizer.
    """

    name: str
    gradient: float
    step: float | None


@dataclass(frozen=True)
class Check:
    """The image beside autograd, in float64 if the module runs in it.

    loss, torch_loss: of the same batch, before the step. dtype: autograd's.
    """

    loss: float
    torch_loss: float
    parameters: list[Compared]
    dtype: torch.dtype

    @property
    def worst(self) -> float:
        """The largest relative error of all, the loss included."""
        loss = abs(self.loss - self.torch_loss) / max(abs(self.torch_loss), TOLERANCE)
        return max(loss, *(max(each.gradient, each.step or 0.0) for each in self.parameters))

    @property
    def agrees(self) -> bool:
        """Whether the worst error is one that float32 explains."""
        return self.worst <= TOLERANCE

    def __str__(self) -> str:
        """Return the losses, the worst error and the verdict."""
        verdict = "agrees with" if self.agrees else "differs from"
        losses = f"loss {self.loss:.7g}, of autograd {self.torch_loss:.7g}"
        return f"{losses}: the image {verdict} autograd in {self.dtype}, worst relative error {self.worst:.1e}"

    def show(self) -> None:
        """Print a table of the parameters, and the verdict."""
        rows = [(e.name, f"{e.gradient:.1e}", "-" if e.step is None else f"{e.step:.1e}") for e in self.parameters]
        out = console()
        out.print(table("Relative errors", (("parameter", "gradient#", "step#"), rows)))
        out.print(escape(str(self)))


def check(
    made: Made,
    module: torch.nn.Module | torch.export.ExportedProgram,
    inputs: torch.Tensor | Sequence[torch.Tensor],
    labels: torch.Tensor | Sequence[torch.Tensor] = (),
    optimizer: torch.optim.Optimizer | None = None,
) -> Check:
    """Compare loss, gradients and one step with autograd, and print a table.

    inputs, labels: as many samples as the image's batch. optimizer: that of compile(), for the steps. The module
    stays as it is. Raises ModelError for a module with Dropout in train(), whose masks are not autograd's.
    """
    module = as_module(module)
    data = (as_inputs(inputs), (labels,) if isinstance(labels, torch.Tensor) else tuple(labels))
    require_batch(made, data[0])
    require_no_dropout(made, module)
    theirs = by_autograd(made, module, data)
    found = compared(made, module, [array_of(t) for t in (*data[0], *data[1])], theirs, optimizer)
    found.show()
    return found


def require_autograd(made: Made, module: torch.nn.Module, data: Any) -> None:
    """Raise ModelError if a gradient of the image is another than autograd's, by more than rounding.

    data: inputs and labels. An image that drops at random is not compared. Next to a kink, such as ReLU's at 0,
    rounding alone decides on a slope; so a gradient must differ at several points, the module's own and others nearby.
    """
    if drops(made):
        return
    generator = torch.Generator().manual_seed(0)
    for point in range(POINTS):
        different = first_different(made, module if point == 0 else moved(module, generator), data)
        if different is None:
            return
    assert different is not None
    raise ModelError(
        f"the image's gradient of '{different.name}' is another than autograd's, by {different.gradient:.1e} of it",
        "something in the module has a gradient of its own, such as an autograd.Function, which an export loses; "
        "check=False compiles it all the same",
    )


def first_different(made: Made, module: torch.nn.Module, data: Any) -> Compared | None:
    """Return the first parameter whose gradient is another than autograd's, by more than rounding; None if none is."""
    theirs = by_autograd(made, module, data)
    own = rounding(made, module, data, theirs)
    found = compared(made, module, [array_of(t) for t in (*data[0], *data[1])], theirs, None)
    different = (e for e in found.parameters if not e.gradient <= ANOTHER + TIMES_ROUNDING * own[e.name])
    return next(different, None)


def moved(module: torch.nn.Module, generator: torch.Generator) -> torch.nn.Module:
    """Return a copy of a module whose parameters differ by about NEARBY of each number."""
    nearby = copy.deepcopy(module)
    with torch.no_grad():
        for parameter in nearby.parameters():
            noise = torch.randn(parameter.shape, generator=generator).to(parameter)
            parameter.mul_(1 + NEARBY * noise)
    return nearby


def require_batch(made: Made, inputs: Sequence[torch.Tensor]) -> None:
    """Raise ModelError unless there are as many samples as the image's batch."""
    batch = made.recipe.options.batch
    if any(each.shape[0] != batch for each in inputs):
        raise ModelError(f"{inputs[0].shape[0]} samples for a batch of {batch}", "pass as many as the image's batch")


def require_no_dropout(made: Made, module: torch.nn.Module) -> None:
    """Raise ModelError if the image drops at random."""
    if not drops(made):
        return
    parts = module.named_modules()
    active = [name for name, part in parts if isinstance(part, torch.nn.modules.dropout._DropoutNd) and part.training]
    named = f"'{active[0]}'" if active else "a function of the module"
    raise ModelError(f"{named} drops at random in train()", "compile and check with eval() on it")


def drops(made: Made) -> bool:
    """Return whether the image drops at random."""
    programs = read_image(made.image).programs
    return any(i["opcode"] == "DROPOUT" for program in programs for i in program["instructions"])


@dataclass(frozen=True)
class _Theirs:
    loss: float
    gradients: dict[str, np.ndarray]
    dtype: torch.dtype


def by_autograd(made: Made, module: torch.nn.Module, data: Any) -> _Theirs:
    """Return autograd's loss and gradients: in float64, or in float32 for a module that cannot run in it."""
    try:
        return autograd(made, module, data, torch.float64)
    except RuntimeError:
        return autograd(made, module, data, torch.float32)


def rounding(made: Made, module: torch.nn.Module, data: Any, theirs: _Theirs) -> dict[str, float]:
    """Return the relative error of each gradient of autograd in float32."""
    rough = autograd(made, module, data, torch.float32)
    largest = max(float(np.linalg.norm(gradient)) for gradient in theirs.gradients.values())
    return {n: error(rough.gradients[n], exact, OF_LARGEST * largest) for n, exact in theirs.gradients.items()}


def autograd(made: Made, module: torch.nn.Module, data: Any, dtype: torch.dtype) -> _Theirs:
    """Run a copy of the module in a type of float."""
    own, loss = copy.deepcopy(module).to(dtype), copy.deepcopy(made.recipe.loss)
    if isinstance(loss, torch.nn.Module):
        loss = loss.to(dtype)
    assert loss is not None
    inputs, labels = ([t.to(dtype) if t.is_floating_point() else t for t in part] for part in data)
    value = loss(*as_outputs(own(*inputs)), *labels)
    value.backward()
    parameters = {made.recipe.ties.get(n, n): p for n, p in own.named_parameters() if p.requires_grad}
    gradients = {n: np.zeros(p.shape) if p.grad is None else array_of(p.grad) for n, p in parameters.items()}
    return _Theirs(float(value.detach()), gradients, dtype)


def array_of(tensor: torch.Tensor) -> np.ndarray:
    """Return the tensor's numbers."""
    array: np.ndarray = tensor.detach().cpu().numpy()
    return array


def compared(
    made: Made,
    module: torch.nn.Module,
    data: Sequence[np.ndarray],
    theirs: _Theirs,
    optimizer: torch.optim.Optimizer | None,
) -> Check:
    """Run the image on the data, and compare."""
    recipe = made.recipe
    with Session(keeping_gradients(made.result, recipe.artifacts, recipe.options)) as session:
        session.load(made.replaced_in(session.save(), module))
        loss, names = session.train_step(*data), session.parameter_names()
        gradients = {name: np.array(session.gradient(name)) for name in names}
        before = {name: np.array(session.parameter(name)) for name in names}
        session.optimizer_step()
        after = {name: np.array(session.parameter(name)) for name in names}
    largest = max(float(np.linalg.norm(theirs.gradients[name])) for name in names)
    groups = {} if optimizer is None else groups_of(optimizer, module)
    groups = {recipe.ties.get(name, name): group for name, group in groups.items()}
    rows = []
    for name in names:
        off = error(gradients[name], theirs.gradients[name], OF_LARGEST * largest)
        step = None
        if optimizer is not None:
            expected = stepped(optimizer, groups[name], before[name], gradients[name])
            floor = OF_PARAMETER * float(np.linalg.norm(before[name]))
            step = error(after[name] - before[name], expected - before[name], floor)
        rows.append(Compared(name, off, step))
    return Check(loss, theirs.loss, rows, theirs.dtype)


def stepped(
    optimizer: torch.optim.Optimizer, group: Mapping[str, Any], parameter: np.ndarray, gradient: np.ndarray
) -> np.ndarray:
    """Return the parameter after the first step of such an optimizer, in float64."""
    moved = torch.nn.Parameter(torch.from_numpy(parameter.astype(np.float64)))
    moved.grad = torch.from_numpy(gradient.astype(np.float64)).reshape(moved.shape)
    begun_again(optimizer, moved, group).step()
    return array_of(moved)


def error(ours: np.ndarray, theirs: np.ndarray, floor: float) -> float:
    """Return |ours - theirs| / |theirs|, by the 2-norm; 0 if both are 0."""
    difference = float(np.linalg.norm(ours.astype(np.float64).ravel() - theirs.ravel()))
    smallest = float(np.finfo(np.float32).tiny)
    return 0.0 if difference == 0 else difference / max(float(np.linalg.norm(theirs)), floor, smallest)
