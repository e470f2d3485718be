"""The pass that moves instructions that may refuse the data to the front of the train program.

A refused micro-batch then has not touched the gradients, so the accumulated ones stay valid. The
backward pass does not move: it reads indices and labels that the forward pass has accepted.
"""

from __future__ import annotations

from ...ir.instruction import Instruction
from ...ir.program import Compiled, Program
from .schedule import edges_of, may_refuse


def run(compiled: Compiled) -> None:
    """Reorder every train program."""
    for program in compiled.programs:
        if program.kind == "train":
            program.instructions = refusing_first(program)


def refusing_first(program: Program) -> list[Instruction]:
    """Return the instructions that may refuse and their dependencies, then the others.

    Both groups keep their order.
    """
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
