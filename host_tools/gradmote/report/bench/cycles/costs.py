"""The cycles of regions: how often each block ran behind each other one, times what that takes."""

from __future__ import annotations

from functools import cache

from .decoding import Instruction
from .disassembly import Program
from .dual_issue import DualIssue
from .executed import Block, Region
from .single_issue import SingleIssue
from .timings import Core

_PIPELINES: dict[str, type[SingleIssue] | type[DualIssue]] = {"single": SingleIssue, "dual": DualIssue}


def cycles_of(core: Core, *rows: tuple[list[Instruction], bool]) -> int:
    """Return the cycles of rows of instructions, one row behind the other, from an empty pipeline.

    Each row comes with whether its last instruction, if that is a branch which may stay in the
    straight order, leaves it.
    """
    pipeline = _PIPELINES[core.issue](core)
    for instructions, leaves in rows:
        for instruction in instructions:
            is_last = instruction is instructions[-1]
            pipeline.run(instruction, not instruction.may_pass or (leaves and is_last))
    return pipeline.now


class Costs:
    """The cycles of a program's regions on a core.

    What a block takes depends on the block before it, whose results it may have to wait for. It is
    told once for each pair of blocks: what both take, less what the first one alone takes. What
    came before the first is left out.
    """

    def __init__(self, program: Program, core: Core) -> None:
        """Name the program and the core."""
        self._program, self._core = program, core
        self._behind = cache(self._cycles_behind)

    def cycles(self, region: Region) -> int:
        """Return the cycles of a region. Raises DeviceError or DataError where code is unknown."""
        return sum(count * self._behind(before, block) for (before, block), count in region.edges.items())

    def _cycles_behind(self, before: Block, block: Block) -> int:
        """Return what a block takes behind another, and what the way between them takes."""
        first, second = self._program.instructions(before), self._program.instructions(block)
        leaves = before.start + sum(instruction.size for instruction in first) != block.start
        return cycles_of(self._core, (first, leaves), (second, False)) - cycles_of(self._core, (first, False))
