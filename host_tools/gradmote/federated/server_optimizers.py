"""The rules by which a server takes the mean of all deltas.

Adaptive Federated Optimization (Reddi et al., 2021) calls that mean a pseudo-gradient, and has all of
these rules. They compute in float64, element by element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

#: The slots of one parameter, and its mean delta -> the change of the base. The slots are changed in place.
Rule = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class ServerOptimizer:
    """A rule, and how many numbers it keeps for each element of a parameter."""

    name: str
    slots: int
    rule: Rule


def fedavg(learning_rate: float = 1.0, momentum: float = 0.0) -> ServerOptimizer:
    """Return federated averaging, with m = momentum m + mean and a change of learning_rate m.

    With the default numbers the next base is the mean of what devices learnt.
    """

    def rule(slots: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """Return the change, and keep m."""
        slots[0] = momentum * slots[0] + mean
        return np.asarray(learning_rate * slots[0])

    return ServerOptimizer("fedavg", 1, rule)


def fedadam(learning_rate: float = 0.01, beta1: float = 0.9, beta2: float = 0.99, tau: float = 1e-3) -> ServerOptimizer:
    """Return FedAdam: the change is learning_rate m / (sqrt(v) + tau), as in algorithm 2 of that paper.

    m and v are the decaying means of the mean delta and of its square.
    """

    def rule(slots: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """Return the change, and keep m and v."""
        slots[0] = beta1 * slots[0] + (1 - beta1) * mean
        slots[1] = beta2 * slots[1] + (1 - beta2) * mean * mean
        return np.asarray(learning_rate * slots[0] / (np.sqrt(slots[1]) + tau))

    return ServerOptimizer("fedadam", 2, rule)
