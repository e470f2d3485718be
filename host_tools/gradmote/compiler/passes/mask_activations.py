"""The pass that replaces an activation by one bit per element, if only its sign or range counts.

This is possible where only the gradient of a ReLU, of a clip or of a quantization reads the
activation after the peak: where the weights behind an activation are frozen, where a sum or a pool
that keeps an index follows. Where a weight's gradient reads the activation anyway, it stays and
nothing changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from ...generated.instructions import (
    AddS16,
    ClampGrad,
    ConvGradXS16,
    Mask,
    MaskGrad,
    MaskS8,
    QuantizeGrad,
    QuantizeGradS16,
    ReluGrad,
)
from ..instruction import Buffer, Instruction, Ref
from ..plan.lifetimes import usage
from ..program import Compiled, Program, Uses
from .schedule import order
from .stream_rows import is_wanted
from .stream_rows.choose import fixed_usage

#: Gradients that need one bit of an activation in float32.
AskingFloat = ReluGrad | ClampGrad
#: Those that need one bit of a quantized value, where they have an operand q; they read bits as well.
AskingInt8 = QuantizeGrad | QuantizeGradS16 | AddS16 | ConvGradXS16
Asking = AskingFloat | AskingInt8

Usage = Callable[[Program, dict[Buffer, Uses]], list[int]]


def run(compiled: Compiled) -> None:
    """Use masks where they lower the peak."""
    by_rows = is_wanted(compiled)
    for program in compiled.programs:
        if any(isinstance(i, Asking) for i in program.instructions):
            choices = program.instructions, masked(program, by_rows)
            program.instructions = min(choices, key=lambda i: needed(program, i, by_rows))


def needed(program: Program, instructions: list[Instruction], by_rows: bool) -> tuple[int, ...]:
    """Return the bytes of scratch that the greedy schedule of these instructions needs at least.

    Where layers may run row by row, those of the instructions that cannot come first.
    """
    trial = replace(program, instructions=instructions)
    trial.instructions = order(trial)
    uses = trial.uses()
    return tuple(max(counted(trial, uses), default=0) for counted in usages(by_rows))


def usages(by_rows: bool) -> list[Usage]:
    """Return the functions whose results masks lower, one after another."""
    return [fixed_usage, usage] if by_rows else [usage]


def masked(program: Program, by_rows: bool) -> list[Instruction]:
    """Return the instructions, scheduled, with as few masks as reach the lowest peak."""
    trial = replace(program, instructions=order(program))
    for counted in usages(by_rows):
        trial.instructions = lowered(trial, counted)
    return trial.instructions


def lowered(program: Program, counted: Usage) -> list[Instruction]:
    """Return the instructions with as few masks as reach the lowest peak of what is counted."""
    trial = replace(program)
    best, lowest = trial.instructions, math.inf
    while True:
        uses = trial.uses()
        alive = counted(trial, uses)
        if max(alive) < lowest:
            best, lowest = trial.instructions, max(alive)
        found = candidate(trial, uses, alive.index(max(alive)))
        if found is None:
            return best
        trial.instructions = with_mask(trial, found)


def candidate(program: Program, uses: dict[Buffer, Uses], top: int) -> Uses | None:
    """Return the largest buffer that only a masked gradient reads after instruction `top`."""
    bound = program.bound()
    over = [u for u in uses.values() if u.buffer.region == "scratch" and u.first < top <= u.last]
    for used in sorted(over, key=lambda u: -u.buffer.size):
        before = [*used.writers, *used.readers[:-1]]
        if max(before) < top and used.last == used.readers[-1] and used.buffer not in bound:
            asking = program.instructions[used.last]
            if isinstance(asking, Asking) and is_over(asking, used, top) and only_asked(asking, used.buffer):
                return used
    return None


def is_over(asking: Asking, used: Uses, top: int) -> bool:
    """Tell whether bits are less than the activation at instruction `top`, which may be the one that asks."""
    return top < used.last or isinstance(asking, AskingInt8)


def activation_of(asking: Asking) -> Ref | None:
    """Return the operand of which the gradient needs one bit."""
    if isinstance(asking, AskingInt8):
        return asking.q
    return asking.y if isinstance(asking, ReluGrad) else asking.x


def only_asked(asking: Asking, buffer: Buffer) -> bool:
    """Tell whether the instruction reads the buffer as its activation only, and not as dy."""
    places = [ref for ref in asking.operands.values() if ref is not None and ref.buffer is buffer]
    return places == [activation_of(asking)]


def with_mask(program: Program, used: Uses) -> list[Instruction]:
    """Return the instructions with a MASK of the buffer, which its last reader then reads.

    The MASK follows all other instructions that use the buffer.
    """
    asking = program.instructions[used.last]
    assert isinstance(asking, Asking)
    make = masked_int8 if isinstance(asking, AskingInt8) else masked_float
    mask, applied = make(asking, f"{used.buffer.name}.mask")
    at = 1 + max([*used.writers, *used.readers[:-1]])
    kept = program.instructions
    return [*kept[:at], mask, *kept[at : used.last], applied, *kept[used.last + 1 :]]


def bits_for(name: str, elements: int) -> Ref:
    """Return new scratch for one bit of each element."""
    return Ref(Buffer(name, (elements + 7) // 8, "scratch"))


def masked_float(asking: AskingFloat, name: str) -> tuple[Instruction, Instruction]:
    """Return the MASK of an activation in float32, and the gradient that reads it."""
    activation, bits = activation_of(asking), bits_for(name, asking.n)
    low, high = (0.0, math.inf) if isinstance(asking, ReluGrad) else (asking.low, asking.high)
    assert activation is not None
    mask = Mask(
        x=activation,
        mask=bits,
        n=asking.n,
        low=low,
        high=high,
        relu=isinstance(asking, ReluGrad),
        origin=asking.origin,
        layer=asking.layer,
    )
    return mask, MaskGrad(dy=asking.dy, mask=bits, dx=asking.dx, n=asking.n).in_place_of(asking)


def masked_int8(asking: AskingInt8, name: str) -> tuple[Instruction, Instruction]:
    """Return the MASK_S8 of a quantized value, and the gradient that reads it in place of the value."""
    elements = asking.elements("q")
    bits = bits_for(name, elements)
    assert asking.q is not None
    mask = MaskS8(
        q=asking.q, mask=bits, n=elements, low=asking.low, high=asking.high, origin=asking.origin, layer=asking.layer
    )
    operands = {**asking.operands, "q": None, "mask": bits}
    return mask, type(asking)(**operands, **asking.params).in_place_of(asking)
