"""The result of gradmote.torch.compile(): the image, and the way from a checkpoint to state_dict() and back."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import torch

from gradmote_runtime import Session

from ..artifacts.artifacts import Artifacts
from ..artifacts.resume import with_corrections
from ..compiler.compile import Result
from ..compiler.options import Options
from ..errors import CheckpointError, ModelError
from ..formats.checkpoint import Checkpoint, load, unpack
from ..formats.parameters import with_tensors
from ..ir.write import to_proto
from .exporting import as_module
from .optimizers import MOMENTS, converted, order_of, require_same_groups

#: A session, a .gmck file, or its bytes.
Learned = Session | str | os.PathLike[str] | bytes


@dataclass(frozen=True)
class Recipe:
    """The parts that an image was made of.

    parameters: the initializers that train. ties: other names of parameters and buffers -> their initializers.
    """

    artifacts: Artifacts
    options: Options
    parameters: list[str]
    ties: Mapping[str, str]
    loss: Callable[..., torch.Tensor] | None


@dataclass(frozen=True)
class Made:
    """A compiled module.

    result: the image with the facts known from its compilation. initial: the module's state_dict() when it was
    compiled. optimizer: its optimizer, if it came from torch.optim, as (class, state_dict(), names of its parameters
    in order).
    """

    recipe: Recipe
    result: Result
    initial: dict[str, torch.Tensor]
    optimizer: tuple[type[torch.optim.Optimizer], dict[str, Any], list[str]] | None

    @classmethod
    def of(cls, recipe: Recipe, result: Result, module: torch.nn.Module, optimizer: Any, order: list[str]) -> Made:
        """Return the parts, with copies of what belongs to the module and the optimizer."""
        initial = copy.deepcopy(module.state_dict())  # with the versions of its parts, which loading may ask for
        initial.update({name: tensor.cpu() for name, tensor in initial.items()})
        known = (type(optimizer), copy.deepcopy(optimizer.state_dict()), order) if order else None
        return cls(recipe, result, initial, known)

    @property
    def image(self) -> bytes:
        """The image, the bytes of a .mote file."""
        return self.result.image

    @property
    def onnx(self) -> onnx.ModelProto:
        """The module as it infers, in normal form."""
        return to_proto(self.recipe.artifacts.models.inference)

    def session(self, profile: str = "fused", threads: int = 1) -> Session:
        """Open a session of the image. The arguments are those of gradmote.Session."""
        return Session(self.image, profile, threads)

    def __repr__(self) -> str:
        """Return the result's line: the fields themselves fill pages."""
        return f"<Made: {self.result!r}>"

    def _repr_html_(self) -> str:
        """Return the memory map and the layers for a notebook."""
        return self.result._repr_html_()

    # ---- What was learned -------------------------------------------------------------------------------------

    def state_dict(self, learned: Learned) -> dict[str, torch.Tensor]:
        """Return what was learned, parameters and running statistics, for the module's load_state_dict().

        All other tensors are those of the module when it was compiled. Raises CheckpointError for the checkpoint of
        another model.
        """
        found = self.read(learned)
        state = copy.deepcopy(self.initial)
        for name, tensor in state.items():
            array = found.tensors.get(self.recipe.ties.get(name, name))
            if array is not None:
                tensor.copy_(torch.from_numpy(array.copy()).reshape(tensor.shape))
        for name in found.statistics:
            counter = state.get(f"{name.removesuffix('running_mean')}num_batches_tracked")
            if counter is not None:
                counter += int(found.control["train_steps"])
        return state

    def optimizer_state_dict(self, learned: Learned) -> dict[str, Any]:
        """Return the state_dict() of the optimizer that the module was compiled with, after what was learned.

        Raises ModelError if that was not one of torch.optim.
        """
        kind, initial, order = self.torch_optimizer()
        found, state = self.read(learned), dict[int, dict[str, torch.Tensor]]()
        groups, rate = initial["param_groups"], float(found.control["learning_rate"])
        without = {n for group in groups if group.get("momentum") == 0 for n in group["params"]}
        steps = int(found.control["optimizer_steps"])
        for number, name in enumerate(order):
            own = self.recipe.ties.get(name, name)
            moments = {k: found.tensors.get(own + suffix) for k, suffix in MOMENTS[kind].items()}
            if number in without:
                continue
            if steps and all(array is not None for array in moments.values()):
                shape = self.initial[name].shape
                state[number] = {k: torch.tensor(a).reshape(shape) for k, a in moments.items()}
                if kind is not torch.optim.SGD:
                    state[number]["step"] = torch.tensor(float(steps))
        first = groups[0]["lr"]
        rates = [rate if group["lr"] == first else rate * group["lr"] / first for group in groups]
        groups = [{**group, "lr": lr} for group, lr in zip(groups, rates, strict=True)]
        return {"state": state, "param_groups": groups}

    def checkpoint(
        self, module: torch.nn.Module | torch.export.ExportedProgram, optimizer: torch.optim.Optimizer | None = None
    ) -> bytes:
        """Return the checkpoint from which a board or session goes on as the module and the optimizer would.

        Without an optimizer, moments and counters begin as in the image. torch.optim.SGD counts no steps. Raises
        ModelError for a module or an optimizer of another kind than the compiled ones.
        """
        with self.session() as session:
            return self.replaced_in(session.save(), as_module(module), optimizer)

    def replaced_in(
        self, base: bytes, module: torch.nn.Module, optimizer: torch.optim.Optimizer | None = None
    ) -> bytes:
        """Return a checkpoint of the image with the module's and the optimizer's numbers."""
        state, wanted = module.state_dict(), unpack(base)
        arrays = {}
        for name in (*wanted.parameters, *wanted.statistics):
            if name not in state:
                raise ModelError(f"the module has no '{name}'", "pass the module that was compiled, or one like it")
            arrays[name] = state[name].detach().cpu().numpy()
        moments, control = ({}, {}) if optimizer is None else self.moments_of(optimizer, module, wanted)
        return with_tensors(base, {**arrays, **moments}, control)

    def moments_of(
        self, optimizer: torch.optim.Optimizer, module: torch.nn.Module, wanted: Checkpoint
    ) -> tuple[dict[str, np.ndarray], dict[str, int | float]]:
        """Return the optimizer's moments by name, and its number of steps and rate."""
        kind, initial, _ = self.torch_optimizer()
        if type(optimizer) is not kind:
            raise ModelError(f"the optimizer is {type(optimizer).__name__}", f"the image has {kind.__name__}")
        require_same_groups(optimizer, initial["param_groups"])
        update = converted(optimizer, module)
        found: dict[str, np.ndarray] = {}
        steps = set()
        for name, state in zip(order_of(optimizer, module), states_of(optimizer), strict=True):
            own = self.recipe.ties.get(name, name)
            if own in wanted.parameters:
                given = {suffix: state.get(k) for k, suffix in MOMENTS[kind].items()}
                found.update({own + s: t.detach().cpu().numpy() for s, t in given.items() if t is not None})
                steps.add(int(state.get("step", 0)))
        found = {name: array for name, array in found.items() if name in wanted.tensors}
        if len(steps) > 1:
            raise ModelError("the optimizer has made more steps with some parameters", "make as many with each")
        control: dict[str, int | float] = dict.fromkeys(("train_steps", "optimizer_steps"), steps.pop() if steps else 0)
        control |= dict.fromkeys(("learning_rate", "base_learning_rate"), update.learning_rate)
        corrected = with_corrections(Checkpoint(found, [], control=control), update)
        return corrected.tensors, control

    def torch_optimizer(self) -> tuple[type[torch.optim.Optimizer], dict[str, Any], list[str]]:
        """Return the class, the initial state and the parameters of torch.optim's optimizer, or raise ModelError."""
        if self.optimizer is None:
            raise ModelError("the module was compiled without an optimizer of torch.optim", "pass one to compile()")
        return self.optimizer

    def read(self, learned: Learned) -> Checkpoint:
        """Return the contents of a checkpoint. Raises CheckpointError unless it is one of this image."""
        if isinstance(learned, Session):
            found = unpack(learned.save())
        else:
            found = unpack(learned) if isinstance(learned, bytes) else load(learned)
        with self.session() as session:
            own = unpack(session.save())
        if {n: a.shape for n, a in found.tensors.items()} != {n: a.shape for n, a in own.tensors.items()}:
            raise CheckpointError("the checkpoint belongs to another model", "pass one that was saved from this image")
        return found


def states_of(optimizer: torch.optim.Optimizer) -> list[Mapping[str, Any]]:
    """Return the optimizer's state of each parameter, in the order of its groups."""
    return [optimizer.state.get(p, {}) for group in optimizer.param_groups for p in group["params"]]
