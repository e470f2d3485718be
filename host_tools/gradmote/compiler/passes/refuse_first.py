"""In the train program, whatever may refuse the data comes in front of whatever adds to gradients.

So a micro-batch that is refused has added nothing, and those before it count as if it had not come. The backward pass
takes indices and labels that the forward pass has taken, and is not waited for.
"""

from __future__ import annotations

from ..program import Compiled, Instruction, Program
from .schedule import edges_of, may_refuse


def run(compiled: Compiled) -> None:
    for program in compiled.programs:
        if program.kind == "train":
            program.instructions = refusing_first(program)


def refusing_first(program: Program) -> list[Instruction]:
    """What may refuse and all that it waits for, then the others, each in the order that is there."""
    found = program.instructions
    before: dict[int, list[int]] = {}
    for first, then in edges_of(found):
        before.setdefault(then, []).append(first)
    needed: set[int] = set()
    waiting = [k for k, i in enumerate(found) if i.phase == "forward" and may_refuse(i)]
    while waiting:
        index = waiting.pop()
        if index not in needed:
            needed.add(index)
            waiting += before.get(index, [])
    return [found[k] for k in sorted(range(len(found)), key=lambda k: (k not in needed, k))]
