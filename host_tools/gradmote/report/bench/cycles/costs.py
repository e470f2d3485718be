"""The cycles of code: of regions, and of one turn of a loop.

A region's are how often each block ran after each other block, times its cycles. A loop's are those of its
steady state, from its code alone.
"""

from __future__ import annotations

from functools import cache

from ....errors import DataError
from .decoding import Instruction
from .disassembly import Program
from .executed import Block, Region
from .pipelines import DualIssue, SingleIssue
from .timings import BRANCHES, Core

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


#: The number of turns before the counted ones, and of counted turns.
_BEFORE, _COUNTED = 4, 16


def cycles_of_turn(core: Core, code: dict[int, Instruction], start: int) -> float:
    """Return the cycles of one turn of the first loop of a function.

    Args:
        core: The timings.
        code: Each instruction by its address.
        start: The function's address. It must have no other branch before the loop.

    Raises DataError if there is no loop.
    """
    row = (loop_of(code, start), True)
    before = cycles_of(core, *[row] * _BEFORE)
    return (cycles_of(core, *[row] * (_BEFORE + _COUNTED)) - before) / _COUNTED


def loop_of(code: dict[int, Instruction], start: int) -> list[Instruction]:
    """Return the instructions of one turn in execution order.

    Branches that may fall through do so, except the one that ends the turn; others are followed.
    """
    passed: list[Instruction] = []
    address = start
    while address in code:
        instruction = code[address]
        passed.append(instruction)
        target = instruction.target if instruction.kind in BRANCHES else None
        if target is not None and target <= address:
            return [each for each in passed if each.address >= target]
        address = target if target is not None and not instruction.may_pass else address + instruction.size
    raise DataError(f"there is no loop at {start:#x}", "it is for the micro-kernels")
