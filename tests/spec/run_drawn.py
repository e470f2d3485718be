"""Runs drawn instructions in both implementations, and compares what they write."""

from __future__ import annotations

import struct

import numpy as np

from gradmote import Session
from gradmote.errors import RuntimeFault
from support.program_image import SCRATCH, instruction, program_image

from .draw_instruction import Drawer, Drawn
from .execute import Machine
from .numerics import Array
from .read_image import NONE
from .read_tables import Opcode, Operand
from .verify import error_of


def words_of(drawn: Drawn) -> Array:
    """Return the instruction's words."""
    body = [*drawn.instruction.operands.values(), *drawn.instruction.params.values()]
    return np.array([(len(body) + 1) << 16 | drawn.instruction.opcode.code, *body], np.uint32)


def image_of(drawn: Drawn) -> bytes:
    """Return an image that first copies what written operands start from into the arena."""
    copies = []
    for name, source in drawn.start.items():
        places = {"x": struct.unpack_from("<I", source)[0], "y": drawn.instruction.operands[name]}
        copies.append(instruction("COPY", places, {"d5": len(source) // 4 - 1, "s5": 1, "t5": 1}))
    return program_image([*copies, words_of(drawn)], drawn.arena_size, drawn.constants)


def drawn_image(opcode: Opcode, seed: int) -> bytes:
    """Return an image of one instruction that the verifier accepts."""
    drawer = Drawer(opcode, SCRATCH, seed)
    while error_of(found := image_of(drawer.draw())) != "OK":
        pass
    return found


def difference(drawn: Drawn, profile: str) -> str | None:
    """Return what the two implementations do differently with an instruction: None where they agree."""
    image = image_of(drawn)
    expected = error_of(image)
    try:
        session = Session(image, profile)
    except RuntimeFault as fault:
        return None if expected in str(fault) else f"the runtime refuses with {fault}, the second verifier: {expected}"
    if expected != "OK":
        return f"the runtime opens what the second verifier calls {expected}"
    with session:
        status = _status(session)
        machine = Machine(image, profile)
        found = machine.run("INFER")
        if found != status:
            return f"the runtime ends with {status}, the second executor with {found}"
        return None if found != "OK" else _other_bits(drawn, session, machine)


def _status(session: Session) -> str:
    try:
        session.run_program("infer")
    except RuntimeFault as fault:
        return fault.name
    return "OK"


def _other_bits(drawn: Drawn, session: Session, machine: Machine) -> str | None:
    for operand in drawn.instruction.opcode.operands:
        at = drawn.instruction.operands[operand.name]
        if not operand.written or at == NONE or operand.name == "row":
            continue
        end = at + drawn.instruction.size(operand)
        ours = np.frombuffer(bytes(session._memory[at:end]), np.uint8)
        wrong = np.flatnonzero(~_same(operand, ours, machine.arena[at:end]))
        if len(wrong):
            return f"{operand.name}[{wrong[0]}] and {len(wrong) - 1} more of {len(ours)} differ: {drawn.instruction}"
    return None


def _same(operand: Operand, ours: Array, theirs: Array) -> Array:
    """Return which elements are equal to the bit; any two NaN are."""
    if operand.type != "f32":
        return ours == theirs
    a, b = ours.view("<f4"), theirs.view("<f4")
    return (a.view("<u4") == b.view("<u4")) | (np.isnan(a) & np.isnan(b))
