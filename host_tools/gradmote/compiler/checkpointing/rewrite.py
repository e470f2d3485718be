"""The program that a plan describes: values are recomputed in front of the instructions that need them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy

from ...ir.instruction import Buffer, Instruction
from .problem import Problem
from .walk import Plan, Walk


def rewritten(problem: Problem, plan: Plan, order: Sequence[int]) -> list[Instruction]:
    """Return the instructions of the problem's program in this order, plus those that the plan repeats.

    Each computation of a value has a buffer of its own. The program itself does not change.
    """
    walk = Walk(problem, plan, order)
    buffers = buffers_of(walk)
    ran = iter(range(len(walk.ran)))
    return [instruction for place in range(len(order)) for instruction in run_at(walk, buffers, place, ran)]


def run_at(walk: Walk, buffers: Sequence[Buffer], place: int, ran: Iterator[int]) -> Iterator[Instruction]:
    """Yield the recomputations that one of the program's own instructions needs, and then the instruction.

    `ran` are the indices of what the walk ran, from this place on.
    """
    own = walk.order[place]
    for now in ran if walk.problem.touched[own] else ():
        new = {walk.problem.buffers[walk.value[v]]: buffers[v] for v in walk.versions[now]}
        yield redirected(walk.problem.program.instructions[walk.ran[now]], new)
        if not walk.made[now]:
            return
    if not walk.problem.touched[own]:
        yield walk.problem.program.instructions[own]


def buffers_of(walk: Walk) -> list[Buffer]:
    """Return the buffer of each version; the first version of a value keeps the value's own buffer."""
    seen: set[int] = set()
    found = []
    for value in walk.value:
        own = walk.problem.buffers[value]
        found.append(Buffer(f"{own.name}.again", own.size, own.region) if value in seen else own)
        seen.add(value)
    return found


def redirected(instruction: Instruction, new: Mapping[Buffer, Buffer]) -> Instruction:
    """Return a copy of the instruction with each buffer replaced as `new` says."""
    made = copy(instruction)
    for old, other in new.items():
        if old is not other:
            made.redirect(old, other)
    return made
