"""The description of an optimizer, which each file of this folder provides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from ..errors import ModelError
from ..generated.optimizers import RULES
from ..ir.metadata import LARGEST

#: What a group of parameters may have of its own -> its range. Bias corrections are shared, so betas are.
OF_A_GROUP = {"learning_rate": (0, LARGEST), "weight_decay": (0, math.inf), "momentum": (0, 1), "nesterov": (0, 2),
              "eps": (0, math.inf)}  # fmt: skip


@dataclass(frozen=True)
class Optimizer:
    """An update rule with its hyper-parameters.

    rule: its name in runtime_c/spec/optimizers.toml. hyper: name -> value; all others take their defaults.
    clip_norm: largest global norm of all gradients, or None (PyTorch's clip_grad_norm_). clip_value:
    largest absolute value of each gradient's elements, or None (PyTorch's clip_grad_value_); only one of
    the two may be given. learning_rate: that of the first update. clip_steps: how many of its scales a
    quantized weight may move in one update, 0 for any number; a bias may move by as much as a full input
    of one such weight. None: 1 for rules with moments; for plain SGD 8 in dense layers, 2 in others, and
    any number for biases (step_limits.py says why). groups: what some parameters have of their own, by name or by
    a pattern of fnmatch: {"head.*": {"learning_rate": 0.01, "weight_decay": 0}}. On the device one rate is set or
    scheduled, and the rates of groups keep their ratios to it.
    """

    rule: str
    learning_rate: float = 1e-3
    hyper: dict[str, float] = field(default_factory=dict)
    clip_norm: float | None = None
    clip_value: float | None = None
    clip_steps: float | None = None
    groups: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ModelError for a rate or limit out of range, or for two clipping limits."""
        check(learning_rate=(self.learning_rate, 0, LARGEST))
        for pattern, own in self.groups.items():
            self._check_group(pattern, own)
        if self.clip_steps is not None:
            check(clip_steps=(self.clip_steps, 0, LARGEST))
        for name, limit, largest in (("clip_norm", self.clip_norm, LARGEST), ("clip_value", self.clip_value, 2.0**62)):
            if limit is not None and not 0 < limit < largest:
                raise ModelError(
                    f"{name}={limit} is not a positive number below {largest:g}", "leave it out for no clipping"
                )
        if self.clip_norm is not None and self.clip_value is not None:
            raise ModelError("clip_norm and clip_value are both given", "choose one: their order would not be clear")

    def _check_group(self, pattern: str, own: Mapping[str, float]) -> None:
        known = [name for name in OF_A_GROUP if name == "learning_rate" or name in RULES[self.rule]["hyper"]]
        for name, value in own.items():
            if name not in known:
                raise ModelError(
                    f"the group '{pattern}' with {name}, for the rule {self.rule}", f"it may have {', '.join(known)}"
                )
            check(**{name: (value, *OF_A_GROUP[name])})
        if self.learning_rate == 0 and own.get("learning_rate", 0) != 0:
            raise ModelError(
                f"the group '{pattern}' has a rate, and the optimizer's own, which it is a multiple of, is 0",
                "give the optimizer a rate, and rates of 0 to groups",
            )

    def with_groups(self, groups: Mapping[str, Mapping[str, float]]) -> Optimizer:
        """Return the optimizer with other groups of parameters.

        Raises ModelError for a setting that the rule does not have, or that a group cannot have of its own.
        """
        return replace(self, groups=groups)

    def require_groups(self, parameters: Iterable[str]) -> None:
        """Raise ModelError for a group without any of the parameters, or a parameter of several groups."""
        names = list(parameters)
        for pattern in self.groups:
            if not any(_is_in(name, pattern) for name in names):
                raise ModelError(
                    f"a group of '{pattern}', and nothing of this name trains", f"what trains: {', '.join(names)}"
                )
        for name in names:
            found = [pattern for pattern in self.groups if _is_in(name, pattern)]
            if len(found) > 1:
                raise ModelError(f"'{name}' is in the groups '{found[0]}' and '{found[1]}'", "let one group have it")

    def own(self, parameter: str) -> Mapping[str, float]:
        """Return what a parameter has of its own."""
        return next((own for pattern, own in self.groups.items() if _is_in(parameter, pattern)), {})

    def rate_factor(self, parameter: str) -> float:
        """Return a parameter's rate as a multiple of the optimizer's."""
        own = self.own(parameter).get("learning_rate", self.learning_rate)
        return own / self.learning_rate if own != self.learning_rate else 1.0

    @property
    def longest_step(self) -> float | None:
        """Return clip_steps, or what it is if it was not given; None if the limit depends on the parameter."""
        return 1.0 if self.clip_steps is None and self.slots else self.clip_steps

    @property
    def slots(self) -> int:
        """Return the number of moment tensors that each parameter needs."""
        return RULES[self.rule]["slots"]

    @property
    def bias_correction(self) -> bool:
        """Return whether the rule divides its moments by bias corrections."""
        return RULES[self.rule]["aux"]

    def attributes(self, parameter: str = "") -> dict[str, Any]:
        """Return the hyper-parameters of a parameter in the order of the rule record.

        1 - beta is rounded once from the exact difference.
        """
        values = {**self.hyper, **self.own(parameter)}
        for beta in ("beta1", "beta2"):
            if beta in values:
                values[f"one_minus_{beta}"] = 1.0 - values[beta]
        return {name: float(values[name]) for name in RULES[self.rule]["hyper"]}


def require_optimizer(thing: Any) -> None:
    """Raise ModelError for anything but an Optimizer, such as a name, or a factory that was not called."""
    if not isinstance(thing, Optimizer):
        raise ModelError(
            f"the optimizer is {getattr(thing, '__name__', repr(thing))}, of type {type(thing).__name__}",
            "pass one of gradmote.optimizers, such as optimizers.adam(0.001)",
        )


def _is_in(parameter: str, pattern: str) -> bool:
    """Return whether a group's name or pattern is one of this parameter."""
    return parameter == pattern or fnmatchcase(parameter, pattern)


def check(**ranges: tuple[float, float, float]) -> dict[str, float]:
    """Return {name: value} from {name: (value, low, high)}.

    Raises ModelError for a value outside low <= value < high.
    """
    for name, (value, low, high) in ranges.items():
        if not low <= value < high:
            raise ModelError(f"{name}={value} is not in [{low}, {high})", "see the optimizer's documentation")
    return {name: value for name, (value, _, _) in ranges.items()}
