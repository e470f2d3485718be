"""Runs images in both implementations, drawn ones among them, and compares what they write."""

from __future__ import annotations

import struct

import numpy as np

from gradmote import Session
from gradmote.errors import RuntimeFault
from support.program_image import SCRATCH, instruction, program_image

from .draw_instruction import Drawer, Drawn
from .execute import Machine
from .machine import Call
from .numerics import Array
from .read_tables import Opcode
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


def difference(image: bytes, profile: str) -> str | None:
    """Return what the two implementations do differently with an image's program INFER: None where they agree."""
    expected = error_of(image)
    try:
        session = Session(image, profile)
    except RuntimeFault as fault:
        return None if fault.name == expected else f"the runtime refuses with {fault.name}, the second with {expected}"
    if expected != "OK":
        return f"the runtime opens what the second verifier calls {expected}"
    with session:
        status, machine = _status(session), Machine(image, profile)
        found = machine.run("INFER")
        if found != status:
            return f"the runtime ends with {status}, the second executor with {found}"
        return None if found != "OK" else _other_bits(session, machine)


def _status(session: Session) -> str:
    """Run INFER, also where the session would ask for inputs that the program overwrites."""
    code = session._lib.gm_infer(session._open())
    return "OK" if code == 0 else RuntimeFault(code).name


def _other_bits(session: Session, machine: Machine) -> str | None:
    """Return where the arenas differ after the program. Any two NaN are equal, and rows of updates hold anything."""
    ours = np.frombuffer(bytes(session._memory[: len(machine.arena)]), np.uint8).copy()
    theirs, end = machine.arena.copy(), len(machine.arena) // 4 * 4
    for call in machine.calls("INFER"):
        if "row" in call.i.operands:
            ours[_place(call)] = theirs[_place(call)] = 0
    a, b = ours[:end].view("<f4"), theirs[:end].view("<f4")
    same = (a.view("<u4") == b.view("<u4")) | (np.isnan(a) & np.isnan(b))
    wrong = np.flatnonzero(~same)
    names = [call.i.opcode.name for call in machine.calls("INFER")]
    return f"word {wrong[0]} and {len(wrong) - 1} more of the arena differ after {names}" if len(wrong) else None


def _place(call: Call) -> slice:
    at = call.i.operands["row"]
    return slice(at, at + call.flat("row").nbytes)
