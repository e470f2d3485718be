"""Runs images in both implementations, drawn ones among them, and compares what they write."""

from __future__ import annotations

import struct

import numpy as np

from gradmote import Session
from gradmote.errors import RuntimeFault
from support.program_image import SCRATCH, instruction, program_image

from .draw_instruction import Drawer, Drawn
from .execute import KINDS, Machine
from .machine import Call
from .numerics import Array
from .read_image import NONE
from .read_tables import Opcode
from .verify import error_of

#: The programs of an image that run, one after the other, if it has them and they have no more work than this.
PROGRAMS = ("INFER", "TRAIN", "STEP", "OPTIMIZER", "EVAL", "TRAIN", "OPTIMIZER", "STEP")
MOST_WORK = 200_000


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
    """Return what the two implementations do differently with an image and its programs: None if they agree."""
    expected = error_of(image)
    try:
        session = Session(image, profile)
    except RuntimeFault as fault:
        return None if fault.name == expected else f"the runtime refuses with {fault.name}, the second with {expected}"
    if expected != "OK":
        return f"the runtime opens what the second verifier calls {expected}"
    with session:
        machine = Machine(image, profile)
        _give_data(session, machine)
        reported = (_run_in_both(session, machine, kind) for kind in PROGRAMS if _is_quick(machine, kind))
        return next((text for text in reported if text), None)


def _is_quick(machine: Machine, kind: str) -> bool:
    found = [program for program in machine.image.programs if program.kind_name == kind]
    return bool(found) and found[0].work_high == 0 and found[0].work_low <= MOST_WORK


def _give_data(session: Session, machine: Machine) -> None:
    """Write drawn numbers into every input and label of both, and digits if labels are integers."""
    drawn = np.random.default_rng(1)
    for tensor in machine.image.tensors:
        if tensor.role_name in ("INPUT", "LABEL"):
            x = drawn.random(tensor.size // 4).astype("<f4")
            values = x if tensor.dtype_name == "F32" else (x * 10).astype("<i4")
            machine.arena[tensor.offset : tensor.offset + tensor.size] = values.view(np.uint8)
            session._memory[tensor.offset : tensor.offset + tensor.size] = values.tobytes()


def _run_in_both(session: Session, machine: Machine, kind: str) -> str | None:
    """Run a program; compare how it ends, and then the arena: all of it, or after an error the state."""
    status, found = _status(session, kind), machine.run(kind)
    if found != status:
        return f"{kind} ends with {status} in the runtime, with {found} in the second executor"
    return _other_bits(session, machine, kind, len(machine.arena) if found == "OK" else machine.image.header.state_size)


def _status(session: Session, kind: str) -> str:
    """Run a program, even if the session would ask for inputs that another one overwrote."""
    code = session._lib.gm_begin(session._open(), KINDS.index(kind))
    code = session._lib.gm_run(session._open(), NONE) if code == 0 else code
    return "OK" if code == 0 else RuntimeFault(code).name


def _other_bits(session: Session, machine: Machine, kind: str, size: int) -> str | None:
    """Return the first difference of the arenas after a program. Any two NaN are equal; rows, panels and blocks hold
    anything."""
    ours, theirs = np.frombuffer(bytes(session._memory[:size]), np.uint8).copy(), machine.arena[:size].copy()
    for call in machine.calls(kind):
        for name in ("row", "panel", "block"):
            if name in call.i.operands and call.has(name):
                ours[_place(call, name)] = theirs[_place(call, name)] = 0
    a, b = ours[: size // 4 * 4].view("<f4"), theirs[: size // 4 * 4].view("<f4")
    wrong = np.flatnonzero(~((a.view("<u4") == b.view("<u4")) | (np.isnan(a) & np.isnan(b))))
    names = sorted({call.i.opcode.name for call in machine.calls(kind)})
    return f"{kind}: word {wrong[0]} and {len(wrong) - 1} more differ after {names}" if len(wrong) else None


def _place(call: Call, name: str) -> slice:
    at = call.i.operands[name]
    return slice(at, at + call.flat(name).nbytes)
