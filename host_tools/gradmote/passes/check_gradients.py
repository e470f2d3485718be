"""In front of each update, CHECK_FINITE of what its gradient is made of: a NaN or infinity that only the backward pass
makes (the slope of a square root at 0, a sum that overflows) ends the program before it reaches the state.

The program optimizer checks all gradients first, so it is applied whole or not at all; so do clipping, by its norm, and
a step with a loss scale, by checks of their own.
In the program step, updates that are made earlier stay: layers behind the one whose gradient overflows have learnt.
"""

from __future__ import annotations

import math

from ..generated.opcodes import COUNTS, OPCODES
from ..program import Buffer, Compiled, Instruction, Program, Ref

#: opcode -> operands that its gradient is made of
SOURCES = {"UPDATE": ("g",), "GEMM_UPDATE": ("a", "b"), "CONV_UPDATE": ("dy",)}


def run(compiled: Compiled) -> None:
    for program in compiled.programs:
        if not any(i.opcode == "CHECK_FINITE" and i.phase == "update" for i in program.instructions):
            insert_checks(program)


def insert_checks(program: Program) -> None:
    """Last of all passes: a check reads what the instruction behind it reads, so lifetimes stay."""
    made = {id(r.buffer) for i in program.instructions if i.phase == "backward" for r in i.writes}
    checked: set[tuple[int, int, int]] = set()
    first: list[Instruction] = []
    result: list[Instruction] = []
    for instruction in program.instructions:
        for ref, n in sources(instruction, made):
            if (id(ref.buffer), ref.offset, n) not in checked:
                checked.add((id(ref.buffer), ref.offset, n))
                check = Instruction("CHECK_FINITE", {"x": ref}, {"n": n}, instruction.origin, phase="backward")
                (first if program.kind == "optimizer" else result).append(check)
        result.append(instruction)
    program.instructions = first + result


def sources(instruction: Instruction, made: set[int]) -> list[tuple[Ref, int]]:
    """Places that the backward pass has made, and their elements; of one with gaps, none."""
    refs = [(name, instruction.operands[name]) for name in SOURCES.get(instruction.opcode, ())]
    found = [(ref, gapless(instruction, name)) for name, ref in refs if ref is not None and is_made(ref.buffer, made)]
    return [(ref, n) for ref, n in found if n]


def is_made(buffer: Buffer, made: set[int]) -> bool:
    return buffer.region == "gradient" or id(buffer) in made


def gapless(instruction: Instruction, operand: str) -> int:
    """Elements of an operand where they fill what it spans, else 0."""
    terms = OPCODES[instruction.opcode]["operands"][operand][2]
    count = math.prod(number(instruction, dim) for dim, _ in terms)
    span = 1 + sum((number(instruction, dim) - 1) * number(instruction, stride) for dim, stride in terms if stride)
    return count if span == count or terms[0][1] is None else 0


def number(instruction: Instruction, name: str) -> int:
    return COUNTS.get(name) or int(instruction.params[name])
