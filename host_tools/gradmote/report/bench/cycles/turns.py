"""The cycles of one turn of a loop, once the loop is under way, from its code alone."""

from __future__ import annotations

from ....errors import DataError
from .costs import cycles_of
from .decoding import Instruction
from .timings import BRANCHES, Core

#: The turns before those that are counted, and those that are counted.
_BEFORE, _COUNTED = 4, 16


def cycles_of_turn(core: Core, code: dict[int, Instruction], start: int) -> float:
    """Return the cycles of one turn of the first loop of a function.

    Args:
        core: The timings.
        code: Each instruction by its address.
        start: The function's address. Up to the loop it has no other branch.

    Raises DataError where there is no loop.
    """
    row = (loop_of(code, start), True)
    before = cycles_of(core, *[row] * _BEFORE)
    return (cycles_of(core, *[row] * (_BEFORE + _COUNTED)) - before) / _COUNTED


def loop_of(code: dict[int, Instruction], start: int) -> list[Instruction]:
    """Return the instructions of one turn, in the order in which they run.

    Branches that may pass do so, except the one that ends the turn; others are followed.
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
