"""The cycles of regions: how often each block ran after each other block, times its cycles."""

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
    """Return the cycles of rows of instructions, run one row after the other from an empty pipeline.

    If a row's last instruction is a branch that may fall through, the row's second item says whether it
    is taken.
    """
    pipeline = _PIPELINES[core.issue](core)
    for instructions, leaves in rows:
        for instruction in instructions:
            is_last = instruction is instructions[-1]
            pipeline.run(instruction, not instruction.may_pass or (leaves and is_last))
    return pipeline.now


class Costs:
    """The cycles of a program's regions on a core.

    The cycles of a block depend on the block before it, whose results it may have to wait for. They are
    computed once for each pair of blocks: the cycles of both, less those of the first one alone.
    Anything before the first block is ignored.
    """

    def __init__(self, program: Program, core: Core) -> None:
        """Take the program and the core."""
        self._program, self._core = program, core
        self._behind = cache(self._cycles_behind)

    def cycles(self, region: Region) -> int:
        """Return the cycles of a region. Raises DeviceError or DataError if code is unknown."""
        return sum(count * self._behind(before, block) for (before, block), count in region.edges.items())

    def _cycles_behind(self, before: Block, block: Block) -> int:
        """Return the cycles of a block after another one, including the branch between them."""
        first, second = self._program.instructions(before), self._program.instructions(block)
        leaves = before.start + sum(instruction.size for instruction in first) != block.start
        return cycles_of(self._core, (first, leaves), (second, False)) - cycles_of(self._core, (first, False))
