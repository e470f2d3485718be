"""The size of a stage, from MINUTES and IMAGES, or from its own variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: The bounds of every stage -> their values for a whole night.
WHOLE = {"MINUTES": 240, "IMAGES": 1_000_000}
#: A night in which each stage takes a few minutes on two cores.
BOUNDED = {"MINUTES": 10, "IMAGES": 20_000}
#: Below this many MINUTES, a stage with only two forms uses the short one.
SHORT = 60


class Refused(Exception):
    """A request that cannot be met; the text says why, and what to do."""


@dataclass(frozen=True)
class Size:
    """A number that scales with one of WHOLE; `least` is the smallest useful value."""

    whole: int
    least: int
    by: str = "MINUTES"

    def value(self, bounds: Mapping[str, float]) -> str:
        return str(max(self.least, round(self.whole * bounds[self.by] / WHOLE[self.by])))


@dataclass(frozen=True)
class Choice:
    """One of two forms; the short one is for a few MINUTES."""

    whole: str
    short: str

    def value(self, bounds: Mapping[str, float]) -> str:
        return self.short if bounds["MINUTES"] < SHORT else self.whole


def bounds_in(environment: Mapping[str, str]) -> dict[str, float]:
    """Return MINUTES and IMAGES."""
    return {name: positive(name, environment.get(name, str(whole))) for name, whole in WHOLE.items()}


def positive(name: str, text: str) -> float:
    """Return a variable's number. Raises Refused."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise Refused(f"{name}={text} is not a number above 0, such as {name}={WHOLE[name]}")
    return number
