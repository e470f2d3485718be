"""Optimizers of torch.optim as those of gradmote.optimizers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from .. import optimizers
from ..errors import ModelError
from ..optimizers import Optimizer
from ..optimizers.optimizer import OF_A_GROUP

#: Settings that change only how PyTorch computes.
_SPEED = {"foreach", "fused", "capturable", "differentiable", "decoupled_weight_decay"}
#: What PyTorch adds to groups.
_OF_NO_EFFECT = {"params", "param_names", "initial_lr"}
#: The values that other settings must have.
_REQUIRED = {"maximize": False, "amsgrad": False, "dampening": 0}
#: optimizer -> the settings that it has here, beside the rate.
_SETTINGS = {
    torch.optim.SGD: ("momentum", "nesterov", "weight_decay"),
    torch.optim.Adam: ("betas", "eps", "weight_decay"),
    torch.optim.AdamW: ("betas", "eps", "weight_decay"),
}
#: optimizer -> its state of a parameter, by the suffix of a moment's name.
MOMENTS = {
    torch.optim.SGD: {"momentum_buffer": "_moment1"},
    torch.optim.Adam: {"exp_avg": "_moment1", "exp_avg_sq": "_moment2"},
    torch.optim.AdamW: {"exp_avg": "_moment1", "exp_avg_sq": "_moment2"},
}


def converted(optimizer: torch.optim.Optimizer | Optimizer, module: torch.nn.Module) -> Optimizer:
    """Return the same optimizer of gradmote.optimizers; one of these stays as it is.

    Its rate is that of the first group. Raises ModelError for another kind, for settings that are not taken, and
    unless it has exactly the module's parameters that require gradients.
    """
    if isinstance(optimizer, Optimizer):
        return optimizer
    kind = type(optimizer)
    if kind not in _SETTINGS:
        names = ", ".join(each.__name__ for each in _SETTINGS)
        if isinstance(optimizer, type):
            raise ModelError(
                f"the optimizer is the class {optimizer.__name__}",
                f"pass an instance: {optimizer.__name__}(module.parameters(), 1e-3)",
            )
        raise ModelError(f"the optimizer is {kind.__name__}", f"use one of {names}, or one of gradmote.optimizers")
    require_parameters(optimizer, module)
    require_settings(optimizer)
    groups = optimizer.param_groups
    first = next((group for group in groups if group.get("momentum")), groups[0])  # the rule with moments serves all
    chosen = {name: first[name] for name in _SETTINGS[kind]}
    if "betas" in chosen:
        chosen["beta1"], chosen["beta2"] = (float(beta) for beta in chosen.pop("betas"))
    made: Optimizer = getattr(optimizers, kind.__name__.lower())(float(groups[0]["lr"]), **chosen)
    of_all = {**made.hyper, "learning_rate": made.learning_rate}
    own = {name: _own(group, of_all) for name, group in groups_of(optimizer, module).items()}
    return made.with_groups({name: settings for name, settings in own.items() if settings})


def _own(group: Mapping[str, Any], of_all: Mapping[str, float]) -> dict[str, float]:
    """Return what a group has of its own, by our names."""
    given = {"learning_rate": group["lr"], **group}
    return {name: float(given[name]) for name in OF_A_GROUP if name in of_all and given[name] != of_all[name]}


def require_settings(optimizer: torch.optim.Optimizer) -> None:
    """Raise ModelError if groups differ in a setting that all have to share, or a setting is not taken."""
    known = {*_SETTINGS[type(optimizer)], *_REQUIRED, *_SPEED, *_OF_NO_EFFECT, "lr"}
    first = optimizer.param_groups[0]
    for group in optimizer.param_groups:
        for name, value in group.items():
            if _REQUIRED.get(name, value) != value or name not in known:
                raise ModelError(f"{type(optimizer).__name__} with {name}={value}", "leave it at its default")
            if name == "betas" and value != first[name]:
                raise ModelError("groups of parameters differ in betas", f"give all the first group's, {first[name]}")


def groups_of(optimizer: torch.optim.Optimizer, module: torch.nn.Module) -> dict[str, Mapping[str, Any]]:
    """Return the group of each parameter that trains, by its name in the module."""
    names = {id(p): name for name, p in module.named_parameters() if p.requires_grad}
    pairs = ((group, p) for group in optimizer.param_groups for p in group["params"])
    return {names[id(p)]: group for group, p in pairs if id(p) in names}


def require_same_groups(optimizer: torch.optim.Optimizer, compiled: Sequence[Mapping[str, Any]]) -> None:
    """Raise ModelError unless groups have the settings that they were compiled with, and rates in the same ratio."""
    groups, kind = optimizer.param_groups, type(optimizer)
    if len(groups) != len(compiled):
        raise ModelError(f"the optimizer has {len(groups)} groups", f"the image was compiled with {len(compiled)}")
    for k, (group, before) in enumerate(zip(groups, compiled, strict=True)):
        for name in _SETTINGS[kind]:
            if tuple_of(group[name]) != tuple_of(before[name]):
                raise ModelError(f"group {k} has {name}={group[name]}", f"the image was compiled with {before[name]}")
        ours, theirs = group["lr"] * compiled[0]["lr"], before["lr"] * groups[0]["lr"]
        if not math.isclose(ours, theirs, rel_tol=1e-6):
            raise ModelError(
                f"group {k} has the rate {group['lr']}, and the first {groups[0]['lr']}",
                f"the image keeps the ratio of {before['lr']} to {compiled[0]['lr']}: compile the module again",
            )


def tuple_of(value: Any) -> Any:
    """Return betas as a tuple; other settings stay as they are."""
    return tuple(value) if isinstance(value, list) else value


def begun_again(
    optimizer: torch.optim.Optimizer, parameter: torch.Tensor, group: Mapping[str, Any]
) -> torch.optim.Optimizer:
    """Return an optimizer with a group's settings for another parameter, before its first step."""
    return type(optimizer)([parameter], **{name: group[name] for name in ("lr", *_SETTINGS[type(optimizer)])})


def require_parameters(optimizer: torch.optim.Optimizer, module: torch.nn.Module) -> None:
    """Raise ModelError unless the optimizer has exactly the module's parameters that require gradients."""
    own = {id(p) for group in optimizer.param_groups for p in group["params"] if p.requires_grad}
    names = {id(p): name for name, p in module.named_parameters() if p.requires_grad}
    missing = [name for key, name in names.items() if key not in own]
    if missing:
        raise ModelError(
            f"the optimizer lacks {', '.join(missing)}", "give it all parameters, or set requires_grad=False for these"
        )
    if own - names.keys():
        raise ModelError("the optimizer has parameters of another module", "make it with module.parameters()")


def order_of(optimizer: torch.optim.Optimizer, module: torch.nn.Module) -> list[str]:
    """Return the name of each parameter of the optimizer, by its number in state_dict()."""
    names = {id(p): name for name, p in module.named_parameters()}
    return [names[id(p)] for group in optimizer.param_groups for p in group["params"]]
