"""Optimizers of torch.optim as those of gradmote.optimizers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch

from .. import optimizers
from ..errors import ModelError
from ..optimizers import Optimizer

#: Settings that change only how PyTorch computes.
_SPEED = {"foreach", "fused", "capturable", "differentiable", "decoupled_weight_decay"}
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

    Raises ModelError for another kind, for settings that are not taken, and unless it has exactly the module's
    parameters that require gradients. Groups may differ in weight decay alone.
    """
    if isinstance(optimizer, Optimizer):
        return optimizer
    kind = type(optimizer)
    if kind not in _SETTINGS:
        names = ", ".join(each.__name__ for each in _SETTINGS)
        raise ModelError(f"the optimizer is {kind.__name__}", f"use one of {names}, or one of gradmote.optimizers")
    require_parameters(optimizer, module)
    settings = settings_of(optimizer)
    chosen = {name: settings[name] for name in _SETTINGS[kind]}
    if "betas" in chosen:
        chosen["beta1"], chosen["beta2"] = (float(beta) for beta in chosen.pop("betas"))
    make = getattr(optimizers, kind.__name__.lower())
    made: Optimizer = make(float(settings["lr"]), **chosen)
    others = {name: decay for name, decay in decays(optimizer, module).items() if decay != chosen["weight_decay"]}
    return replace(made, decays=others)


def settings_of(optimizer: torch.optim.Optimizer) -> Mapping[str, Any]:
    """Return the settings of the first group.

    Raises ModelError if groups differ in anything but weight decay, or a setting is not taken.
    """
    groups = [{k: v for k, v in group.items() if k != "params"} for group in optimizer.param_groups]
    known = {"lr", *_SETTINGS[type(optimizer)], *_REQUIRED, *_SPEED}
    for name, value in groups[0].items():
        if any(group[name] != value for group in groups) and name not in ("weight_decay", "param_names"):
            raise ModelError(f"groups of parameters differ in {name}", "they may differ in weight_decay alone")
        if _REQUIRED.get(name, value) != value or (name not in known and name not in ("initial_lr", "param_names")):
            raise ModelError(f"{type(optimizer).__name__} with {name}={value}", "leave it at its default")
    return groups[0]


def decays(optimizer: torch.optim.Optimizer, module: torch.nn.Module) -> dict[str, float]:
    """Return the weight decay of each parameter that trains, by its name in the module."""
    names = {id(p): name for name, p in module.named_parameters() if p.requires_grad}
    groups = ((group["weight_decay"], p) for group in optimizer.param_groups for p in group["params"])
    return {names[id(p)]: float(decay) for decay, p in groups if id(p) in names}


def begun_again(optimizer: torch.optim.Optimizer, parameter: torch.Tensor, decay: float) -> torch.optim.Optimizer:
    """Return an optimizer with the same settings for another parameter, before its first step."""
    settings = settings_of(optimizer)
    chosen = {name: settings[name] for name in ("lr", *_SETTINGS[type(optimizer)])}
    return type(optimizer)([parameter], **{**chosen, "weight_decay": decay})


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
