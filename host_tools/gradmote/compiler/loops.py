"""The loops of a program: which instructions run how often, and what lives from one to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..generated.instructions import Guard, Loop
from .instruction import Instruction


@dataclass(frozen=True)
class Span:
    """The instructions of one loop: `start` is the LOOP itself, `end` is behind its body."""

    start: int
    end: int
    iterations: int


def words_of(instruction: Instruction) -> int:
    """Return the number of words that an instruction takes in the image."""
    return 1 + len(instruction.extents) + len(instruction.param_names)


def spans(instructions: Sequence[Instruction]) -> Iterator[Span]:
    """Yield the loops of a program, in their order."""
    for index, instruction in enumerate(instructions):
        if isinstance(instruction, Loop):
            end, left = index + 1, instruction.body
            while left > 0:
                left -= words_of(instructions[end])
                end += 1
            yield Span(index, end, instruction.iterations)


def times_run(instructions: Sequence[Instruction]) -> list[int]:
    """Return how often each instruction runs in one run of the program."""
    times = [1] * len(instructions)
    for span in spans(instructions):
        for index in range(span.start + 1, span.end):
            guard = instructions[index - 1]
            times[index] = guard.count if isinstance(guard, Guard) else span.iterations
    return times


def total_work(instructions: Sequence[Instruction]) -> int:
    """Return the inner-loop iterations of a program, as the runtime counts them."""
    return sum(i.work * times for i, times in zip(instructions, times_run(instructions), strict=True))
