"""The pass that gives panels to the instructions that pack operands, once no later pass changes them."""

from __future__ import annotations

from ...ir.instruction import Buffer, Ref
from ...ir.program import Compiled
from ..panels import Packing, panel_words


def run(compiled: Compiled) -> None:
    """Give scratch for a panel to each packing instruction that should have one."""
    for program in compiled.programs:
        for instruction in program.instructions:
            if isinstance(instruction, Packing):
                give(instruction)


def give(instruction: Packing) -> None:
    """Give the instruction the panel that compiler/panels.py chooses."""
    words = panel_words(instruction)
    if words:
        instruction.panel, instruction.panel_words = Ref(Buffer("panel", 4 * words, "scratch")), words
