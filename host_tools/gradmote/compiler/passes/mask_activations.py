"""The pass that replaces an activation by one bit per element, if only its sign or range counts.

This is possible where only RELU_GRAD or CLAMP_GRAD reads the activation after the peak: where the
weights behind an activation are frozen, or where a pool follows that keeps an index. Where a
weight's gradient reads the activation anyway, it stays and nothing changes.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ..plan.lifetimes import usage
from ..program import Buffer, Compiled, Instruction, Program, Ref, Uses
from .schedule import order, peak

#: Gradients that need one bit of an activation -> the operand of that activation.
ASKING = {"RELU_GRAD": "y", "CLAMP_GRAD": "x"}


def run(compiled: Compiled) -> None:
    """Use masks where they lower the peak."""
    for program in compiled.programs:
        if any(i.opcode in ASKING for i in program.instructions):
            program.instructions = min(program.instructions, masked(program), key=lambda i: peak(program, i))


def masked(program: Program) -> list[Instruction]:
    """Return the instructions, scheduled, with as few masks as reach the lowest peak."""
    trial = replace(program, instructions=order(program))
    best, lowest = trial.instructions, math.inf
    while True:
        uses = trial.uses()
        alive = usage(trial, uses)
        if max(alive) < lowest:
            best, lowest = trial.instructions, max(alive)
        found = candidate(trial, uses, alive.index(max(alive)))
        if found is None:
            return best
        trial.instructions = with_mask(trial, found)


def candidate(program: Program, uses: dict[Buffer, Uses], top: int) -> Uses | None:
    """Return the largest buffer that only a masked gradient reads after instruction `top`."""
    bound = program.bound()
    over = [u for u in uses.values() if u.buffer.region == "scratch" and u.first < top < u.last]
    for used in sorted(over, key=lambda u: -u.buffer.size):
        before = [*used.writers, *used.readers[:-1]]
        if max(before) < top and used.last == used.readers[-1] and used.buffer not in bound:
            asking = program.instructions[used.last]
            if asking.opcode in ASKING and only_asked(asking, used.buffer):
                return used
    return None


def only_asked(asking: Instruction, buffer: Buffer) -> bool:
    """Tell whether the instruction reads the buffer as its activation only, and not as dy."""
    names = [name for name, ref in asking.operands.items() if ref is not None and ref.buffer is buffer]
    return names == [ASKING[asking.opcode]]


def with_mask(program: Program, used: Uses) -> list[Instruction]:
    """Return the instructions with a MASK of the buffer, which its last reader then reads.

    The MASK follows all other instructions that use the buffer.
    """
    asking = program.instructions[used.last]
    n = int(asking.params["n"])
    bits = Ref(Buffer(f"{used.buffer.name}.mask", (n + 7) // 8, "scratch"))
    relu = asking.opcode == "RELU_GRAD"
    asked = {"low": 0.0, "high": math.inf} if relu else {name: asking.params[name] for name in ("low", "high")}
    mask = Instruction(
        "MASK",
        {"x": asking.operands[ASKING[asking.opcode]], "mask": bits},
        {"n": n, "relu": int(relu), **asked},
        asking.origin,
        asking.layer,
    )
    operands = {"dy": asking.operands["dy"], "mask": bits, "dx": asking.operands["dx"]}
    applied = replace(asking, opcode="MASK_GRAD", operands=operands, params={"n": n})
    at = 1 + max([*used.writers, *used.readers[:-1]])
    kept = program.instructions
    return [*kept[:at], mask, *kept[at : used.last], applied, *kept[used.last + 1 :]]
