"""GEMM or CONV_GRAD_W that makes a weight's gradient, followed by the UPDATE that alone consumes it, becomes one
GEMM_UPDATE or CONV_UPDATE.

The gradient then exists one row at a time: for a layer of 64 x 32 this saves 8 KB of arena.
"""

from __future__ import annotations

import math

from ..generated.opcodes import OPCODES
from ..program import Buffer, Compiled, Instruction, Program, Ref

#: maker -> (fused opcode, parameters whose product is one row of the gradient)
FUSED = {"GEMM": ("GEMM_UPDATE", ("n",)), "CONV_GRAD_W": ("CONV_UPDATE", ("channels", "kernel_h", "kernel_w"))}


def run(compiled: Compiled) -> None:
    for program in compiled.programs:
        for update in [i for i in program.instructions if i.opcode == "UPDATE"]:
            maker = find(program, update)
            if maker is not None:
                program.instructions[program.instructions.index(update)] = fuse(maker, update)
                program.instructions.remove(maker)


def find(program: Program, update: Instruction) -> Instruction | None:
    """The instruction whose whole result only this UPDATE reads, or None."""
    gradient = update.operands["g"]
    assert gradient is not None
    buffer = gradient.buffer
    if buffer.region != "scratch" or update.operands["scale"] is not None:
        return None
    touching = [i for i in program.instructions if any(r.buffer is buffer for r in (*i.reads, *i.writes))]
    if len(touching) != 2 or touching[0].opcode not in FUSED or buffer.size != 4 * update.params["n"]:
        return None
    maker = touching[0]
    plain = maker.opcode != "GEMM" or (maker.params["batch"] == 1 and maker.operands["bias"] is None)
    plain = plain and not maker.params["accumulate"] and not maker.params.get("activation")
    return maker if plain and can_wait(program, maker, update) else None


def can_wait(program: Program, maker: Instruction, update: Instruction) -> bool:
    """Whether the maker's inputs are still there at the UPDATE, and the update, row by row, leaves them alone."""
    first, last = (program.instructions.index(i) for i in (maker, update))
    inputs = [r.buffer for r in maker.reads]
    return not any(w.buffer is b for i in program.instructions[first + 1 : last + 1] for w in i.writes for b in inputs)


def fuse(maker: Instruction, update: Instruction) -> Instruction:
    """The maker's inputs and sizes with the update's state, and scratch for one row of the gradient."""
    opcode, row_size = FUSED[maker.opcode]
    elements = math.prod(int(maker.params[name]) for name in row_size)
    row = Buffer(f"{update.origin}.row", 4 * elements, "scratch")
    spec = OPCODES[opcode]
    operands = {name: {**maker.operands, **update.operands, "row": Ref(row)}[name] for name in spec["operands"]}
    return Instruction(opcode, operands, {name: maker.params[name] for name in spec["params"]}, update.origin)
