"""Learning rates by the number of the update, set from the host: cosine, steps and one cycle.

The linear schedule is not here: targets follow it themselves (Target.set_linear_schedule).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import DataError

#: The share of updates in which one cycle rises, and the quotients of its peak to its first and last rate.
ONE_CYCLE_RISE, ONE_CYCLE_FIRST, ONE_CYCLE_LAST = 0.3, 25.0, 25.0 * 1e4


@dataclass(frozen=True)
class Steps:
    """The updates of a training: `epochs` passes of `each` updates."""

    epochs: int
    each: int

    @property
    def total(self) -> int:
        """Return the number of updates."""
        return self.epochs * self.each


#: Returns the learning rate of an update, counted from 0.
Schedule = Callable[[int], float]


def schedule(text: str, rate: float, steps: Steps, warmup: int = 0) -> Schedule:
    """Return the schedule that a text names.

    - cosine: from `rate` to 0, as PyTorch's CosineAnnealingLR over all updates after the warm-up.
    - step:N:FACTOR: times FACTOR after each N epochs, as PyTorch's StepLR; step:N means 0.1.
    - one-cycle: up to `rate` and down, as PyTorch's OneCycleLR with its defaults; momentum stays.
    - constant: `rate`.

    warmup: updates in which the rate first rises linearly to `rate`, the first of them with
    rate / warmup. Raises DataError for another text, or a warm-up that has no room.
    """
    name, _, settings = text.partition(":")
    if name not in _KINDS or (settings and name != "step"):
        raise DataError(f"--schedule {text}: there is no such schedule", f"use {', '.join(_KINDS)}, or step:10:0.1")
    if warmup and (name == "one-cycle" or warmup >= steps.total):
        why = "one cycle has its own" if name == "one-cycle" else f"the training has {steps.total:,} updates"
        raise DataError(f"a warm-up of {warmup:,} updates, and {why}", "leave it out, or take fewer")
    later = _KINDS[name](rate, Steps(steps.epochs, steps.each), settings, warmup)
    return lambda update: rate * (update + 1) / warmup if update < warmup else later(update)


def _cosine(rate: float, steps: Steps, _: str, warmup: int) -> Schedule:
    length = steps.total - warmup
    return lambda update: rate * (1 + math.cos(math.pi * (update - warmup) / length)) / 2


def _step(rate: float, steps: Steps, settings: str, _: int) -> Schedule:
    try:
        every, factor = [*map(float, settings.split(":")), 0.1][:2]
    except ValueError:
        every = factor = math.nan
    if not (every >= 1 and every == int(every) and 0 < factor <= 1 and settings.count(":") < 2):
        raise DataError(f"the schedule step takes epochs and a factor, not '{settings}'", "write it as step:10:0.1")
    return lambda update: float(rate * factor ** (update // steps.each // int(every)))


def _one_cycle(rate: float, steps: Steps, _: str, __: int) -> Schedule:
    peak = max(ONE_CYCLE_RISE * steps.total - 1, 1e-9)
    last = steps.total - 1

    def at(update: int) -> float:
        if update <= peak:
            return _between(rate / ONE_CYCLE_FIRST, rate, update / peak)
        return _between(rate, rate / ONE_CYCLE_LAST, (update - peak) / (last - peak))

    return at


def _between(start: float, end: float, share: float) -> float:
    """Return the number on a half cosine from start to end."""
    return end + (start - end) * (1 + math.cos(math.pi * share)) / 2


def _constant(rate: float, *_: object) -> Schedule:
    return lambda update: rate


_KINDS: dict[str, Callable[[float, Steps, str, int], Schedule]] = {
    "constant": _constant, "cosine": _cosine, "step": _step, "one-cycle": _one_cycle,
}  # fmt: skip
