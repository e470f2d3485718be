"""The rules by which a server applies the mean of all deltas.

Adaptive Federated Optimization (Reddi et al., 2021) calls that mean a pseudo-gradient, and describes all of
these rules. They compute in float64, element by element.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import DataError

#: (The slots of one parameter, its mean delta) -> the change of the base. The rule updates the slots in place.
Rule = Callable[[np.ndarray, np.ndarray], np.ndarray]
#: The largest momentum that optimizer_of() takes.
MOST_MOMENTUM = 0.999


@dataclass(frozen=True)
class ServerOptimizer:
    """A rule.

    Attributes:
        name: The name for optimizer_of().
        slots: How many numbers it keeps for each element of a parameter.
        rule: The arithmetic.
        settings: The numbers of the rule, such as its momentum, in the order of its function's arguments.
    """

    name: str
    slots: int
    rule: Rule
    settings: tuple[float, ...] = ()


def fedavg(learning_rate: float = 1.0, momentum: float = 0.0) -> ServerOptimizer:
    """Return federated averaging, with m = momentum m + mean and a change of learning_rate m.

    With the default numbers the next base is the mean of what devices learned.
    """

    def rule(slots: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """Return the change, and keep m."""
        slots[0] = momentum * slots[0] + mean
        return np.asarray(learning_rate * slots[0])

    return ServerOptimizer("fedavg", 1, rule, (learning_rate, momentum))


def fedadam(learning_rate: float = 0.01, beta1: float = 0.9, beta2: float = 0.99, tau: float = 1e-3) -> ServerOptimizer:
    """Return FedAdam: the change is learning_rate m / (sqrt(v) + tau), as in algorithm 2 of that paper.

    m and v are the decaying means of the mean delta and of its square.
    """

    def rule(slots: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """Return the change, and keep m and v."""
        slots[0] = beta1 * slots[0] + (1 - beta1) * mean
        slots[1] = beta2 * slots[1] + (1 - beta2) * mean * mean
        return np.asarray(learning_rate * slots[0] / (np.sqrt(slots[1]) + tau))

    return ServerOptimizer("fedadam", 2, rule, (learning_rate, beta1, beta2, tau))


def optimizer_of(name: str, learning_rate: float | None = None, momentum: float = 0.0) -> ServerOptimizer:
    """Return the rule of that name, "fedavg" or "fedadam".

    learning_rate: above 0; None uses the rule's own. momentum: for fedavg, 0 .. 0.999. Raises DataError for settings
    that the rule does not have.
    """
    if name not in ("fedavg", "fedadam"):
        raise DataError(f"the server has no rule '{name}'", "take fedavg or fedadam")
    if learning_rate is not None and not (math.isfinite(learning_rate) and learning_rate > 0):
        raise DataError(f"a server's learning rate of {learning_rate}", "give a positive number")
    if not 0 <= momentum <= MOST_MOMENTUM:
        raise DataError(f"a server's momentum of {momentum}", f"give 0 to {MOST_MOMENTUM}")
    if name == "fedavg":
        return fedavg(1.0 if learning_rate is None else learning_rate, momentum)
    if momentum:
        raise DataError("a server's momentum with fedadam", "fedadam has moments of its own: leave it out")
    return fedadam(0.01 if learning_rate is None else learning_rate)
