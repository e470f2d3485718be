"""Medians and quartiles of measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Spread:
    """The median and the quartiles of measurements.

    A quarter of the measurements is below `low`, and a quarter above `high`.
    """

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, measured: Sequence[float]) -> Spread:
        """Return the median and the quartiles of the measurements."""
        low, median, high = np.quantile(measured, (0.25, 0.5, 0.75)).tolist()
        return cls(median, low, high)

    @classmethod
    def of_ratios(cls, above: Sequence[float], below: Sequence[float]) -> Spread:
        """Return the ratio of the medians, with the quartiles of the ratios of each pair."""
        pairs = cls.of([a / b for a, b in zip(above, below, strict=True)])
        ratio = cls.of(above).median / cls.of(below).median
        return cls(ratio, min(pairs.low, ratio), max(pairs.high, ratio))
