"""Medians, and how far measurements lie about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Spread:
    """Half of the measurements lie in low .. high, a quarter below and a quarter above."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, measured: Sequence[float]) -> Spread:
        low, median, high = np.quantile(measured, (0.25, 0.5, 0.75)).tolist()
        return cls(median, low, high)

    @classmethod
    def of_ratios(cls, above: Sequence[float], below: Sequence[float]) -> Spread:
        """The ratio of medians; the quartiles are of the ratios of what was measured side by side."""
        pairs = cls.of([a / b for a, b in zip(above, below, strict=True)])
        ratio = cls.of(above).median / cls.of(below).median
        return cls(ratio, min(pairs.low, ratio), max(pairs.high, ratio))
