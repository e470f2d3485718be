"""The pass that replaces an activation with one bit per element if only its sign or range matters.

This works if, after the peak, only the gradient of a ReLU, a clip or a quantization reads the
activation: the weights after it are frozen, or a sum follows, or a pool that keeps an index. If a
weight gradient reads the activation anyway, nothing changes.
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

#: Gradients that need one bit of a float32 activation.
AskingFloat = ReluGrad | ClampGrad
#: Gradients that need one bit of a quantized value, if they have an operand q; they can also read bits.
AskingInt8 = QuantizeGrad | QuantizeGradS16 | AddS16 | ConvGradXS16
Asking = AskingFloat | AskingInt8

Usage = Callable[[Program, dict[Buffer, Uses]], list[int]]


def run(compiled: Compiled) -> None:
    """Use masks if they lower the peak."""
    by_rows = is_wanted(compiled)
    for program in compiled.programs:
        if may_mask(compiled, program) and any(isinstance(i, Asking) for i in program.instructions):
            plain, trial = program.instructions, masked(program, by_rows)
            if len(trial) > len(plain):  # a mask may help
                program.instructions = min(plain, trial, key=lambda i: needed(program, i, by_rows))


def may_mask(compiled: Compiled, program: Program) -> bool:
    """Return whether the options allow masks in a program."""
    recompute = compiled.recompute
    return not isinstance(recompute, Recomputation) or recompute.masked or program.kind not in TRAINING


def needed(program: Program, instructions: list[Instruction], by_rows: bool) -> tuple[int, ...]:
    """Return the least scratch bytes that the greedy schedule of these instructions needs.

    If layers may run row by row, the bytes at the instructions that cannot come first in the tuple.
    """
    trial = replace(program, instructions=instructions)
    trial.instructions = order(trial)
    uses = trial.uses()
    return tuple(max(counted(trial, uses), default=0) for counted in usages(by_rows))


def usages(by_rows: bool) -> list[Usage]:
    """Return the functions whose results masks lower, one after another."""
    return [fixed_usage, usage] if by_rows else [usage]


def masked(program: Program, by_rows: bool) -> list[Instruction]:
    """Return the scheduled instructions with the fewest masks that reach the lowest peak."""
    trial = replace(program, instructions=order(program))
    for counted in usages(by_rows):
        trial.instructions = lowered(trial, counted)
    return trial.instructions


def lowered(program: Program, counted: Usage) -> list[Instruction]:
    """Return the instructions with the fewest masks that reach the lowest peak of the counted usage."""
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
    """Return the buffers that a mask can replace for the last reader, largest first."""
    bound, found = program.bound(), []
    for used in uses.values():
        if used.buffer.region == "scratch" and used.readers and used.buffer not in bound:
            asking = program.instructions[used.readers[-1]]
            is_last = used.last == used.readers[-1] and -1 < anchor(used) < used.last
            if is_last and isinstance(asking, Asking) and only_asked(asking, used.buffer):
                found.append(used)
    return sorted(found, key=lambda u: -u.buffer.size)


def anchor(used: Uses) -> int:
    """Return the last instruction that uses a buffer before its last reader; -1 if there is none."""
    return max([*used.writers[-1:], *used.readers[-2:-1]], default=-1)


class Masks:
    """The scratch bytes live at each instruction of a program as masks are added one by one.

    Slots for all possible masks follow each instruction, so that no index ever changes. The newest mask
    comes first. The bytes of an empty slot are HIDDEN less than all others.
    """

    HIDDEN = 2**62

    def __init__(self, program: Program) -> None:
        """Start without masks, in a program without loops."""
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
        """Return whether the last reader of a buffer asks for bits of a quantized value (see is_over)."""
        return isinstance(self.program.instructions[used.last], AskingInt8)

    def lowest(self) -> list[Instruction]:
        """Return the instructions with the fewest masks that reach the lowest peak."""
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
        """Mask the buffer with this index, no longer count it as found, and return its uses."""
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
    """Return whether bits are smaller than the activation at instruction `top`, which may be the asking one."""
    return top < used.last or isinstance(asking, AskingInt8)


def activation_of(asking: Asking) -> Ref | None:
    """Return the operand that the gradient needs one bit of."""
    if isinstance(asking, AskingInt8):
        return asking.q
    return asking.y if isinstance(asking, ReluGrad) else asking.x


def only_asked(asking: Asking, buffer: Buffer) -> bool:
    """Return whether the instruction reads the buffer only as its activation, not as dy."""
    places = [ref for ref in asking.operands.values() if ref is not None and ref.buffer is buffer]
    return places == [activation_of(asking)]


def with_masks(program: Program, masked: Sequence[Uses]) -> list[Instruction]:
    """Return the instructions with a MASK of each buffer for its last reader.

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
    """Return the number of elements that the gradient needs a bit of."""
    return asking.elements("q") if isinstance(asking, AskingInt8) else asking.n


def masked_float(asking: AskingFloat, name: str) -> tuple[Instruction, Instruction]:
    """Return the MASK of a float32 activation, and the gradient that reads it."""
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
    """Return the MASK_S8 of a quantized value, and the gradient that reads the mask instead of the value."""
    elements = elements_of(asking)
    bits = bits_for(name, elements)
    assert asking.q is not None
    mask = MaskS8(
        q=asking.q, mask=bits, n=elements, low=asking.low, high=asking.high, origin=asking.origin, layer=asking.layer
    )
    operands = {**asking.operands, "q": None, "mask": bits}
    return mask, type(asking)(**operands, **asking.params).in_place_of(asking)
