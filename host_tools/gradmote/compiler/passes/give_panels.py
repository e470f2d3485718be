"""The pass that gives panels to the instructions that pack their operands, once no pass changes these any more."""

from __future__ import annotations

from ...ir.instruction import Buffer, Ref
from ...ir.program import Compiled
from ..panels import Packing, panel_words


def run(compiled: Compiled) -> None:
    """Give each instruction that packs its operands scratch for a panel, where it should have one."""
    for program in compiled.programs:
        for instruction in program.instructions:
            if isinstance(instruction, Packing):
                give(instruction)


def give(instruction: Packing) -> None:
    """Give the instruction the panel that compiler/panels.py decides on."""
    words = panel_words(instruction)
    if words:
        instruction.panel, instruction.panel_words = Ref(Buffer("panel", 4 * words, "scratch")), words
