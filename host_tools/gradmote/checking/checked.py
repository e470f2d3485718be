"""The result of a check: comparisons with their limits, and what was not compared."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: Below this magnitude, errors are absolute.
FLOOR = 1e-3


@dataclass(frozen=True)
class Row:
    """A comparison. worst: its largest error, relative to the largest number. limit: the largest allowed error."""

    what: str
    name: str
    worst: float
    limit: float

    @property
    def agrees(self) -> bool:
        """Whether the error is within its limit; never for NaN."""
        return self.worst <= self.limit


@dataclass
class Checked:
    """The result of a check.

    Attributes:
        engine: The engine for the comparison.
        samples: The samples: "drawn samples" or "given samples".
        rows: All comparisons.
        notes: What was not compared, and why.
    """

    engine: str
    samples: str = "drawn samples"
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        """Whether all comparisons are within their limits."""
        return all(row.agrees for row in self.rows)

    def summary(self) -> str:
        """Return one line with the worst error of each kind."""
        kinds = dict.fromkeys(row.what for row in self.rows)
        worst = {kind: max((r.worst for r in self.rows if r.what == kind), key=_or_infinite) for kind in kinds}
        found = ", ".join(f"{kind} {error:.1e}" for kind, error in worst.items())
        said = f"{'agrees' if self.agrees else 'disagrees'} with {self.engine} on {self.samples}: {found}"
        return "; ".join([*([said] if self.rows else []), *self.notes])


def relative(found: Any, expected: Any, least: float = FLOOR) -> float:
    """Return the largest difference relative to the largest expected number or `least`; infinity if sizes differ."""
    one, other = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    if one.size != other.size:
        return math.inf
    largest = float(np.abs(other).max(initial=0.0))
    return float(np.abs(one.reshape(other.shape) - other).max(initial=0.0)) / max(largest, least)


def _or_infinite(error: float) -> float:
    return math.inf if math.isnan(error) else error
