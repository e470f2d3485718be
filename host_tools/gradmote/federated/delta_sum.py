"""Exact sums of deltas, which do not depend on the order in which deltas arrive."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import DataError
from ..formats.delta import BIAS, Delta

#: The largest sum of weights: with codes up to 127, each sum is an integer that a float64 has.
MOST_WEIGHT = 2**46


class DeltaSum:
    """The sum of deltas times their weights: of each parameter, integers for each exponent.

    Integers have one sum in any order, so a gateway may add up its own devices, and `merge()` adds
    up what gateways have. elements: how many each parameter has.
    """

    def __init__(self, elements: Sequence[int]) -> None:
        """Begin with no delta."""
        self.elements = tuple(elements)
        #: Of each parameter: the sum of the weights of all deltas that have it.
        self.weights = [0] * len(self.elements)
        #: Of each parameter: exponent -> sums of weight times code, int64.
        self.sums: list[dict[int, np.ndarray]] = [{} for _ in self.elements]

    def add(self, delta: Delta, weight: int) -> None:
        """Add a delta. weight: 1 or more. Raises DataError where all weights come to more than 2^46."""
        for index, (exponent, codes) in enumerate(zip(delta.exponents, delta.codes)):
            if exponent:
                self._add(index, weight, {exponent: codes.astype(np.int64) * weight})

    def add_all(self, deltas: Sequence[Delta], weights: Sequence[int]) -> None:
        """Add many deltas at once, which is faster. weights: of each, 1 or more, 2^46 at most in all.

        A float64 has each partial sum: it is an integer up to 2^46 * 128.
        """
        for index in range(len(self.elements)):
            rows: dict[int, list[int]] = {}
            for row, delta in enumerate(deltas):
                rows.setdefault(delta.exponents[index], []).append(row)
            for exponent, having in rows.items():
                if exponent:
                    codes = np.stack([deltas[row].codes[index] for row in having]).astype(np.float64)
                    total = np.array([weights[row] for row in having], np.float64) @ codes
                    self._add(index, sum(weights[row] for row in having), {exponent: total.astype(np.int64)})

    def merge(self, other: DeltaSum) -> None:
        """Add what another sum has. Raises DataError where all weights come to more than 2^46."""
        for index, (weight, sums) in enumerate(zip(other.weights, other.sums)):
            self._add(index, weight, sums)

    def _add(self, index: int, weight: int, sums: dict[int, np.ndarray]) -> None:
        if weight < 0 or self.weights[index] + weight > MOST_WEIGHT:
            raise DataError(f"a weight of {weight} has no exact sum", f"let all weights come to {MOST_WEIGHT} at most")
        own = self.sums[index]
        self.weights[index] += weight
        own.update({exponent: own[exponent] + part if exponent in own else part for exponent, part in sums.items()})

    def mean(self, index: int) -> np.ndarray:
        """Return the weighted mean of one parameter, float64, flat; zeros where no delta has it.

        The float64 additions go from the smallest exponent to the largest, so they have one result.
        """
        total = np.zeros(self.elements[index])
        for exponent, sums in sorted(self.sums[index].items()):
            total += np.ldexp(sums.astype(np.float64), exponent - BIAS)
        return total / max(self.weights[index], 1)
