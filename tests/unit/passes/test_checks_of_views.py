"""Checks look at each element of what they are for, and at none in between: for operands of any strides."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote.compiler.passes.check_updates import Checks
from gradmote.generated.opcodes import COUNTS, OPCODES
from gradmote.ir.generated.instructions import INSTRUCTIONS
from gradmote.ir.program import Buffer, Instruction, Program, Ref
from support.sampling import at_most

#: What is looked at before each: opcode -> (operands, phase)
CHECKED = {
    "GEMM_UPDATE": (("a", "b"), "backward"),
    "CONV_UPDATE": (("x", "dy"), "backward"),
    "MUL": (("a",), "update"),
    "CLAMP": (("x",), "update"),
    "UPDATE": (("g",), "update"),
    "COPY": (("x",), "forward"),
}


def buffer_of(opcode: str, operand: str) -> Buffer:
    """Return a buffer in a region for which the operand is checked."""
    if operand == "scale":
        return Buffer(operand, 4, "constant", np.float32(1).tobytes())
    written = OPCODES[opcode]["operands"][operand][0] != "r"
    region = "statistic" if opcode == "COPY" and written else "gradient" if not written else "scratch"
    return Buffer(operand, 1 << 20, region)


@st.composite
def instructions(draw: st.DrawFn) -> Instruction:
    """Dims from 1 on, and strides of all kinds: 0, those of neighbours, of views with gaps, of parts that overlap."""
    opcode = draw(st.sampled_from(list(CHECKED)))
    spec = OPCODES[opcode]
    dims = st.sampled_from([1, 1, 2, 3, 5])
    params: dict[str, int | float] = {name: draw(dims) for name, (kind, _) in spec["params"].items() if kind == "dim"}
    for name, (kind, _) in spec["params"].items():
        if kind != "dim":
            params[name] = draw(st.sampled_from([0, 1, 2, 3, 5, 6, 10, 15, 25, 30, 31]))
    for operand in CHECKED[opcode][0]:
        if draw(st.booleans()):
            params |= lying(draw, spec["operands"][operand][2], params)
    refs = {name: Ref(buffer_of(opcode, name), 4 * draw(st.integers(0, 9))) for name in spec["operands"]}
    if "scale" in refs:
        refs["scale"] = Ref(refs["scale"].buffer)
    return INSTRUCTIONS[opcode](**refs, **params, phase=CHECKED[opcode][1])


def lying(draw: st.DrawFn, terms: tuple[tuple[str, str | None], ...], params: dict[str, int | float]) -> dict[str, int]:
    """Draw strides of a tensor with its axes in any order, with a gap after some of them."""
    found, step = {}, 1
    for dim, stride in draw(st.permutations(terms)):
        if stride in params:
            found[str(stride)] = step
            step = step * int(params[dim]) + draw(st.sampled_from([0, 0, 1, 7]))
    return found


def elements(instruction: Instruction, operand: str) -> set[int]:
    """Offsets in the operand's buffer, in elements."""
    ref = instruction.operands[operand]
    assert ref is not None and ref.offset % 4 == 0

    def number(name: str) -> int:
        return COUNTS.get(name) or int(instruction.params[name])

    terms = OPCODES[instruction.opcode]["operands"][operand][2]
    if terms[0][1] is None:
        found = np.arange(math.prod(number(dim) for dim, _ in terms))
    else:
        found = np.zeros((), np.int64)
        for dim, stride in terms:
            found = np.add.outer(found, np.arange(number(dim)) * number(stride))
    return set((found + ref.offset // 4).ravel().tolist())


def looked_at(program: Program) -> Iterator[tuple[int, int]]:
    """(id of the buffer, element) of all checks, which come before what they are for."""
    for instruction in program.instructions[:-1]:
        assert instruction.opcode in ("CHECK_FINITE", "CHECK_BOUND")
        ref = instruction.operands["x"]
        assert ref is not None
        yield from ((ref.buffer, element) for element in elements(instruction, "x"))


@settings(max_examples=at_most(300))
@given(instructions(), st.sampled_from(["step", "optimizer"]))
def test_checks_cover_an_operand_and_nothing_else(instruction, kind):
    program = Program(kind, [instruction])
    Checks(program).insert()
    assert program.instructions[-1] is instruction
    expected = {
        (instruction.operands[name].buffer, element)
        for name in CHECKED[instruction.opcode][0]
        for element in elements(instruction, name)
    }
    assert set(looked_at(program)) == expected
