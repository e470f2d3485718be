"""The trade of memory for time that a compilation with recomputation makes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tradeoff:
    """The memory and time of one recomputation plan.

    `arena` is bytes. `instructions` are the estimated machine instructions on a Cortex-M4F of the program that
    makes gradients, and `more` the relative increase over no plan: 0.3 for +30 %. `taken` marks the plan of the
    image; only its figures are measured on an image, the others are the search's estimates.
    """

    arena: int
    instructions: float
    more: float
    taken: bool = False
