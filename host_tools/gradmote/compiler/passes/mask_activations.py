"""The pass that replaces an activation by one bit per element, if only its sign or range counts.

This is possible where only RELU_GRAD or CLAMP_GRAD reads the activation after the peak: where the
weights behind an activation are frozen, or where a pool follows that keeps an index. Where a
weight's gradient reads the activation anyway, it stays and nothing changes.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ...generated.instructions import ClampGrad, Mask, MaskGrad, ReluGrad
from ..instruction import Buffer, Instruction, Ref
from ..plan.lifetimes import usage
from ..program import Compiled, Program, Uses
from .schedule import order, peak

#: Gradients that need one bit of an activation.
Asking = ReluGrad | ClampGrad


def run(compiled: Compiled) -> None:
    """Use masks where they lower the peak."""
    for program in compiled.programs:
        if any(isinstance(i, Asking) for i in program.instructions):
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
            if isinstance(asking, Asking) and only_asked(asking, used.buffer):
                return used
    return None


def activation_of(asking: Asking) -> Ref:
    """Return the operand of which the gradient needs one bit."""
    return asking.y if isinstance(asking, ReluGrad) else asking.x


def only_asked(asking: Asking, buffer: Buffer) -> bool:
    """Tell whether the instruction reads the buffer as its activation only, and not as dy."""
    return activation_of(asking).buffer is buffer and buffer not in (asking.dy.buffer, asking.dx.buffer)


def with_mask(program: Program, used: Uses) -> list[Instruction]:
    """Return the instructions with a MASK of the buffer, which its last reader then reads.

    The MASK follows all other instructions that use the buffer.
    """
    asking = program.instructions[used.last]
    assert isinstance(asking, Asking)
    bits = Ref(Buffer(f"{used.buffer.name}.mask", (asking.n + 7) // 8, "scratch"))
    low, high = (0.0, math.inf) if isinstance(asking, ReluGrad) else (asking.low, asking.high)
    mask = Mask(
        x=activation_of(asking),
        mask=bits,
        n=asking.n,
        low=low,
        high=high,
        relu=isinstance(asking, ReluGrad),
        origin=asking.origin,
        layer=asking.layer,
    )
    applied = MaskGrad(dy=asking.dy, mask=bits, dx=asking.dx, n=asking.n).in_place_of(asking)
    at = 1 + max([*used.writers, *used.readers[:-1]])
    kept = program.instructions
    return [*kept[:at], mask, *kept[at : used.last], applied, *kept[used.last + 1 :]]
