"""The description of an optimizer, which each file of this folder provides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import ModelError
from ..generated.optimizers import RULES
from ..ir.metadata import LARGEST


@dataclass(frozen=True)
class Optimizer:
    """An update rule with its hyper-parameters.

    rule: its name in runtime_c/spec/optimizers.toml. hyper: name -> value; all others take their defaults.
    clip_norm: largest global norm of all gradients, or None (PyTorch's clip_grad_norm_). clip_value:
    largest absolute value of each gradient's elements, or None (PyTorch's clip_grad_value_); only one of
    the two may be given. learning_rate: that of the first update. clip_steps: how many of its scales a
    quantized weight may move in one update, 0 for any number; a bias may move by as much as a full input
    of one such weight. None: 1 for rules with moments; for plain SGD 8 in dense layers, 2 in others, and
    any number for biases (step_limits.py says why). decays: the weight decay of single parameters, by name; all
    others have that of hyper.
    """

    rule: str
    learning_rate: float = 1e-3
    hyper: dict[str, float] = field(default_factory=dict)
    clip_norm: float | None = None
    clip_value: float | None = None
    clip_steps: float | None = None
    decays: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ModelError for a rate or limit out of range, or for two clipping limits."""
        check(learning_rate=(self.learning_rate, 0, LARGEST))
        for decay in self.decays.values():
            check(weight_decay=(decay, 0, math.inf))
        if self.clip_steps is not None:
            check(clip_steps=(self.clip_steps, 0, LARGEST))
        for name, limit, largest in (("clip_norm", self.clip_norm, LARGEST), ("clip_value", self.clip_value, 2.0**62)):
            if limit is not None and not 0 < limit < largest:
                raise ModelError(
                    f"{name}={limit} is not a positive number below {largest:g}", "leave it out for no clipping"
                )
        if self.clip_norm is not None and self.clip_value is not None:
            raise ModelError("clip_norm and clip_value are both given", "choose one: their order would not be clear")

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
        values = dict(self.hyper)
        if parameter in self.decays:
            values["weight_decay"] = self.decays[parameter]
        for beta in ("beta1", "beta2"):
            if beta in values:
                values[f"one_minus_{beta}"] = 1.0 - values[beta]
        return {name: float(values[name]) for name in RULES[self.rule]["hyper"]}


def check(**ranges: tuple[float, float, float]) -> dict[str, float]:
    """Return {name: value} from {name: (value, low, high)}.

    Raises ModelError for a value outside low <= value < high.
    """
    for name, (value, low, high) in ranges.items():
        if not low <= value < high:
            raise ModelError(f"{name}={value} is not in [{low}, {high})", "see the optimizer's documentation")
    return {name: value for name, (value, _, _) in ranges.items()}
