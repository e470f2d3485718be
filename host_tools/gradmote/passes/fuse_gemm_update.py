"""GEMM that makes a weight's gradient, followed by the UPDATE that alone consumes it, becomes one GEMM_UPDATE.

The gradient then exists one row at a time: for a layer of 64 x 32 this saves 8 KB of arena.
"""

from __future__ import annotations

from ..program import Buffer, Compiled, Instruction, Program, Ref


def run(compiled: Compiled) -> None:
    for program in compiled.programs:
        for update in [i for i in program.instructions if i.opcode == "UPDATE"]:
            gemm = find(program, update)
            if gemm is not None:
                program.instructions[program.instructions.index(update)] = fuse(gemm, update)
                program.instructions.remove(gemm)


def find(program: Program, update: Instruction) -> Instruction | None:
    """The GEMM whose whole result only this UPDATE reads, or None."""
    gradient = update.operands["g"]
    assert gradient is not None
    buffer = gradient.buffer
    if buffer.region != "scratch" or update.operands["scale"] is not None:
        return None
    touching = [i for i in program.instructions if any(r.buffer is buffer for r in (*i.reads, *i.writes))]
    if len(touching) != 2 or touching[0].opcode != "GEMM" or buffer.size != 4 * update.params["n"]:
        return None
    gemm = touching[0]
    plain = gemm.params["batch"] == 1 and gemm.operands["bias"] is None
    plain = plain and not gemm.params["accumulate"] and not gemm.params["activation"]
    return gemm if plain and can_wait(program, gemm, update) else None


def can_wait(program: Program, gemm: Instruction, update: Instruction) -> bool:
    """Whether GEMM's inputs are still there at the UPDATE, and the update itself, row by row, leaves them alone."""
    first, last = (program.instructions.index(i) for i in (gemm, update))
    inputs = [r.buffer for r in gemm.reads]
    return not any(w.buffer is b for i in program.instructions[first + 1 : last + 1] for w in i.writes for b in inputs)


def fuse(gemm: Instruction, update: Instruction) -> Instruction:
    row = Buffer(f"{update.origin}.row", 4 * int(gemm.params["n"]), "scratch")
    sizes = ("m", "n", "k", "a_row", "a_col", "b_row", "b_col")
    operands = {name: update.operands[name] for name in ("p", "slot1", "slot2", "aux", "lr", "rule")}
    operands |= {"a": gemm.operands["a"], "b": gemm.operands["b"], "row": Ref(row)}
    return Instruction("GEMM_UPDATE", operands, {s: gemm.params[s] for s in sizes}, update.origin)
