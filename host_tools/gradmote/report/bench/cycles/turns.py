"""The cycles of one turn of a loop in its steady state, from its code alone."""

from __future__ import annotations

from ....errors import DataError
from .costs import cycles_of
from .decoding import Instruction
from .timings import BRANCHES, Core

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
