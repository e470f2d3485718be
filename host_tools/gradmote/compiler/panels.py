"""The panels of the instructions on int8: scratch in which kernels pack weights or rows of the input.

A kernel takes a panel of any size, and none; how much it helps depends on the processor. This is the one
place where the size is decided.
"""

from __future__ import annotations

from typing import TypeVar

from ..generated.instructions import ConvS8, ConvTransposeS8, MatmulS8
from .instruction import Buffer, Ref

#: Instructions that can have a panel.
Packing = TypeVar("Packing", ConvS8, ConvTransposeS8, MatmulS8)


def panel_words(_: ConvS8 | ConvTransposeS8 | MatmulS8) -> int:
    """Return how many 32-bit words the instruction's panel should have; 0 stands for no panel."""
    return 0


def with_panel(made: Packing) -> Packing:
    """Give the instruction scratch for its panel, where it should have one."""
    words = panel_words(made)
    if words:
        made.panel, made.panel_words = Ref(Buffer("panel", 4 * words, "scratch")), words
    return made
