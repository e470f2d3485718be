"""The choice between memory and time that a compilation with recomputation makes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tradeoff:
    """The memory and time of one plan of what is made again.

    `arena` is bytes. `instructions` are the estimated machine instructions on a Cortex-M4F of the program that makes
    gradients, and `more` how many more these are than without the plan, as a part: 0.3 for +30 %. `taken` marks the
    plan of the image; only its figures are those of an image, the others are those that the search counted.
    """

    arena: int
    instructions: float
    more: float
    taken: bool = False
