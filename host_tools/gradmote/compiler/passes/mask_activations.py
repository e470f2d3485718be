"""The pass that replaces an activation by one bit per element, if only its sign or range counts.

This is possible where only the gradient of a ReLU, of a clip or of a quantization reads the
activation after the peak: where the weights behind an activation are frozen, where a sum or a pool
that keeps an index follows. Where a weight's gradient reads the activation anyway, it stays and
nothing changes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from ...ir.generated.instructions import (
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
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import TRAINING, Compiled, Program, Recomputation, Uses
from ...plan.lifetimes import aligned, needs, usage
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
        if may_mask(compiled, program) and any(isinstance(i, Asking) for i in program.instructions):
            plain, trial = program.instructions, masked(program, by_rows)
            if len(trial) > len(plain):  # there is a mask that may help
                program.instructions = min(plain, trial, key=lambda i: needed(program, i, by_rows))


def may_mask(compiled: Compiled, program: Program) -> bool:
    """Return whether the options allow masks in a program."""
    recompute = compiled.recompute
    return not isinstance(recompute, Recomputation) or recompute.masked or program.kind not in TRAINING


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
    if counted is usage:
        return Masks(program).lowest()
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
        trial.instructions = with_masks(trial, [found])


def candidate(program: Program, uses: dict[Buffer, Uses], top: int) -> Uses | None:
    """Return the largest buffer that only a masked gradient reads after instruction `top`."""
    for used in maskable(program, uses):
        if anchor(used) < top <= used.last and is_over(program.instructions[used.last], used, top):
            return used
    return None


def maskable(program: Program, uses: dict[Buffer, Uses]) -> list[Uses]:
    """Return the buffers of which a mask can take the place for the last reader, the largest first."""
    bound, found = program.bound(), []
    for used in uses.values():
        if used.buffer.region == "scratch" and used.readers and used.buffer not in bound:
            asking = program.instructions[used.readers[-1]]
            is_last = used.last == used.readers[-1] and -1 < anchor(used) < used.last
            if is_last and isinstance(asking, Asking) and only_asked(asking, used.buffer):
                found.append(used)
    return sorted(found, key=lambda u: -u.buffer.size)


def anchor(used: Uses) -> int:
    """Return the last instruction that uses a buffer before its last reader; -1 where there is none."""
    return max([*used.writers[-1:], *used.readers[-2:-1]], default=-1)


class Masks:
    """The bytes of scratch alive at each instruction of a program, while it gets one mask after another.

    Behind each instruction there are places for all masks that may come to be there, so that no index ever changes.
    The newest one stands in front. The bytes of an empty place are less than all others by HIDDEN.
    """

    HIDDEN = 2**62

    def __init__(self, program: Program) -> None:
        """Begin without masks, in a program without loops."""
        uses = program.uses()
        self.program, self.found = program, maskable(program, uses)
        empty = Counter(anchor(used) for used in self.found)
        steps = [1 + empty[k] for k in range(len(program.instructions))]
        self.position = list(accumulate(steps, initial=0))
        self.free = {k: list(range(self.position[k] + 1, self.position[k + 1])) for k in empty}
        change = np.zeros(sum(steps) + 1, np.int64)
        for buffer, first, end in needs(program, uses):
            change[self.position[first]] += aligned(buffer.size)
            change[self.position[end - 1] + 1] -= aligned(buffer.size)
        self.alive = change.cumsum()[:-1]
        self.alive[[place for places in self.free.values() for place in places]] -= self.HIDDEN
        self.anchors = np.array([self.position[anchor(used)] for used in self.found], np.int64)
        self.ends = np.array([self.position[u.last] + self.asks_int8(u) for u in self.found], np.int64)

    def asks_int8(self, used: Uses) -> bool:
        """Return whether the last reader of a buffer asks for bits of a quantized value, of which see is_over()."""
        return isinstance(self.program.instructions[used.last], AskingInt8)

    def lowest(self) -> list[Instruction]:
        """Return the instructions with as few masks as reach the lowest peak."""
        made: list[Uses] = []
        best, lowest = 0, math.inf
        while True:
            top = int(self.alive.argmax())
            if self.alive[top] < lowest:
                best, lowest = len(made), self.alive[top]
            over = (self.anchors < top) & (top < self.ends)
            if not over.any():
                return with_masks(self.program, made[:best]) if best else self.program.instructions
            made.append(self.add(int(over.argmax())))

    def add(self, index: int) -> Uses:
        """Make a mask of the buffer with this index, which then counts as found no more, and return its uses."""
        used = self.found[index]
        asking = self.program.instructions[used.last]
        assert isinstance(asking, Asking)
        place, last = self.free[anchor(used)].pop(), self.position[used.last]
        self.alive[place] += self.HIDDEN
        self.alive[place + 1 : last + 1] -= aligned(used.buffer.size)
        self.alive[place : last + 1] += aligned(bits_for("", elements_of(asking)).buffer.size)
        self.ends[index] = 0
        return used


def is_over(asking: Asking, used: Uses, top: int) -> bool:
    """Return whether bits are less than the activation at instruction `top`, which may be the one that asks."""
    return top < used.last or isinstance(asking, AskingInt8)


def activation_of(asking: Asking) -> Ref | None:
    """Return the operand of which the gradient needs one bit."""
    if isinstance(asking, AskingInt8):
        return asking.q
    return asking.y if isinstance(asking, ReluGrad) else asking.x


def only_asked(asking: Asking, buffer: Buffer) -> bool:
    """Return whether the instruction reads the buffer as its activation only, and not as dy."""
    places = [ref for ref in asking.operands.values() if ref is not None and ref.buffer is buffer]
    return places == [activation_of(asking)]


def with_masks(program: Program, masked: Sequence[Uses]) -> list[Instruction]:
    """Return the instructions with a MASK of each buffer, which its last reader then reads.

    The MASK follows all other instructions that use the buffer.
    """
    masks: dict[int, list[Instruction]] = {}
    applied: dict[int, Instruction] = {}
    for used in masked:
        asking = program.instructions[used.last]
        assert isinstance(asking, Asking)
        make = masked_int8 if isinstance(asking, AskingInt8) else masked_float
        mask, applied[used.last] = make(asking, f"{used.buffer.name}.mask")
        masks.setdefault(anchor(used), []).insert(0, mask)
    return [i for k, own in enumerate(program.instructions) for i in (applied.get(k, own), *masks.get(k, ()))]


def bits_for(name: str, elements: int) -> Ref:
    """Return new scratch for one bit of each element."""
    return Ref(Buffer(name, (elements + 7) // 8, "scratch"))


def elements_of(asking: Asking) -> int:
    """Return the number of elements of which the gradient needs a bit each."""
    return asking.elements("q") if isinstance(asking, AskingInt8) else asking.n


def masked_float(asking: AskingFloat, name: str) -> tuple[Instruction, Instruction]:
    """Return the MASK of an activation in float32, and the gradient that reads it."""
    activation, bits = activation_of(asking), bits_for(name, elements_of(asking))
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
    elements = elements_of(asking)
    bits = bits_for(name, elements)
    assert asking.q is not None
    mask = MaskS8(
        q=asking.q, mask=bits, n=elements, low=asking.low, high=asking.high, origin=asking.origin, layer=asking.layer
    )
    operands = {**asking.operands, "q": None, "mask": bits}
    return mask, type(asking)(**operands, **asking.params).in_place_of(asking)
