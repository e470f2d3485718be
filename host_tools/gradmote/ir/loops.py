"""The loops of a program: how often instructions run, and what lives from one iteration to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .generated.instructions import Guard, Loop
from .instruction import Instruction


@dataclass(frozen=True)
class Span:
    """The instructions of one loop: `start` is the LOOP itself, `end` the index past its body."""

    start: int
    end: int
    iterations: int


def words_of(instruction: Instruction) -> int:
    """Return the number of words that an instruction takes in the image."""
    return 1 + len(instruction.extents) + len(instruction.param_names)


def spans(instructions: Sequence[Instruction]) -> Iterator[Span]:
    """Yield the loops of a program in order."""
    for index, instruction in enumerate(instructions):
        if isinstance(instruction, Loop):
            end, left = index + 1, instruction.body
            while left > 0:
                left -= words_of(instructions[end])
                end += 1
            yield Span(index, end, instruction.iterations)


def run_order(instructions: Sequence[Instruction]) -> Iterator[tuple[Instruction, dict[str, int]]]:
    """Yield the instructions as they run, with the bytes by which GUARDs advance operands."""
    loops, index = {span.start: span for span in spans(instructions)}, 0
    while index < len(instructions):
        span = loops.get(index)
        if span is None:
            yield instructions[index], {}
            index += 1
            continue
        for iteration in range(span.iterations):
            yield from run_iteration(instructions[span.start + 1 : span.end], iteration)
        index = span.end


def run_iteration(body: Sequence[Instruction], iteration: int) -> Iterator[tuple[Instruction, dict[str, int]]]:
    """Yield the instructions that run in one iteration of a loop."""
    guard: Guard | None = None
    for instruction in body:
        if isinstance(instruction, Guard):
            guard = instruction
            continue
        turn, wait = (0, 0) if guard is None else divmod(iteration - guard.first, guard.period)
        if guard is None:
            yield instruction, {}
        elif not wait and 0 <= turn < guard.count:
            yield instruction, {name: turn * step for name, step in moves(guard, instruction).items()}
        guard = None


def moves(guard: Guard, instruction: Instruction) -> dict[str, int]:
    """Return the bytes by which each turn moves the operands of the instruction after a GUARD."""
    names, found = list(instruction.extents), dict[str, int]()
    for letter in "abc":
        name, step = names[guard.number(f"operand_{letter}")], guard.number(f"step_{letter}")
        found[name] = found.get(name, 0) + step
    return found


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
