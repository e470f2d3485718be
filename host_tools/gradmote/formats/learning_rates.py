"""The learning rates and schedules that the runtime accepts."""

from __future__ import annotations

from gradmote.errors import DataError

#: The largest float32.
LARGEST_RATE = (2 - 2**-23) * 2.0**127


def check_rate(rate: float) -> None:
    """Raise DataError for a learning rate that the runtime refuses."""
    if not 0.0 <= rate <= LARGEST_RATE:  # NaN fails too
        raise DataError(f"the learning rate is {rate:g}", "it must be finite, and 0 or more")


def check_schedule(rate: float, warmup_steps: int, total_steps: int) -> None:
    """Raise DataError for a linear schedule that the runtime refuses."""
    check_rate(rate)
    if total_steps == 0:
        raise DataError("the schedule has no steps", "give the number of steps after which the rate is 0")
    if warmup_steps > total_steps:
        raise DataError(
            f"the rate would rise for {warmup_steps} steps, but there are {total_steps}", "let it rise for fewer"
        )
