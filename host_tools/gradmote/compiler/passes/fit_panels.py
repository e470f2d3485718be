"""Passes that give panels to the instructions that pack operands, and shrink those at the peak of scratch.

give_panels runs once no later pass changes these instructions. A panel has room for several tiles of
columns, so that the other operand is packed less often (compiler/panels.py). If instructions with such
panels are the peak, `run` lets them take fewer tiles, down to one, but no fewer than the peak elsewhere
needs anyway. Some updates then have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import Compiled, Program
from ...plan.lifetimes import aligned, usage
from ..panels import Packing, least_words, panel_words, words_within


def give_panels(compiled: Compiled) -> None:
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


@dataclass(frozen=True)
class Panel:
    """The instructions that share a panel, and the most scratch bytes live beside it."""

    program: Program
    buffer: Buffer
    packing: list[Packing]
    beside: int

    @property
    def least(self) -> int:
        """Return the live scratch bytes with the smallest panel."""
        return self.beside + 4 * max(least_words(made) for made in self.packing)


def run(compiled: Compiled) -> None:
    """Give panels fewer tiles if that makes the arena smaller."""
    found = [panel for program in compiled.programs for panel in panels_of(program)]
    limit = max([*(panel.least for panel in found), *map(peak_without, compiled.programs)], default=0)
    for panel in found:
        fit(panel, (limit - panel.beside) // 4)


def packing(instruction: Instruction) -> Packing | None:
    """Return the instruction if it has a panel, else None."""
    return instruction if isinstance(instruction, Packing) and instruction.panel is not None else None


def panels_of(program: Program) -> Iterator[Panel]:
    """Yield the panels of a program."""
    alive = usage(program)
    users: dict[Buffer, list[int]] = {}
    for index, instruction in enumerate(program.instructions):
        made = packing(instruction)
        if made is not None and made.panel is not None:
            users.setdefault(made.panel.buffer, []).append(index)
    for buffer, indices in users.items():
        beside = max(alive[indices[0] : indices[-1] + 1]) - aligned(buffer.size)
        yield Panel(
            program, buffer, [made for k in indices if (made := packing(program.instructions[k])) is not None], beside
        )


def peak_without(program: Program) -> int:
    """Return the most live scratch bytes at instructions without a panel."""
    steps = zip(usage(program), program.instructions, strict=True)
    return max((alive for alive, instruction in steps if packing(instruction) is None), default=0)


def fit(panel: Panel, words: int) -> None:
    """Shrink the panel of all its instructions if it has more than this many words."""
    chosen = max(words_within(made, words) for made in panel.packing)
    if any(chosen < made.panel_words for made in panel.packing):
        smaller = Ref(Buffer("panel", 4 * chosen, "scratch")) if chosen > 0 else None
        if smaller is not None and panel.buffer in panel.program.rows:  # keeps nothing, even in a loop
            panel.program.rows[smaller.buffer] = False
        for made in panel.packing:
            made.panel, made.panel_words = smaller, max(1, chosen)
