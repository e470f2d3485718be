"""The pass that keeps forward values in bfloat16 until the backward pass reads them.

A value that waits over the peak is rounded to the nearest bfloat16 after its last use before the peak, and
converted back to float32 in front of its first use after it. It waits in two bytes an element instead of four. The
forward pass computes with the unrounded numbers; gradients are those of the rounded ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace

from ...generated.opcodes import OPCODES
from ...ir.generated.instructions import (
    Bf16ToFloat,
    Equal,
    FloatToBf16,
    FloatToInt,
    Greater,
    GreaterOrEqual,
    Heaviside,
    L1LossGrad,
    MaxPoolGrad,
    ReduceExtremumGrad,
    TopK,
)
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import TRAINING, Compiled, Program, Uses
from ...plan.arena import place
from ...plan.lifetimes import usage
from .recompute import renamed
from .share_in_place import share

#: Instructions that compare numbers or convert them to integers: rounding may change their answer.
EXACT = (Equal, FloatToInt, Greater, GreaterOrEqual, Heaviside, L1LossGrad, MaxPoolGrad, ReduceExtremumGrad, TopK)


@dataclass(frozen=True)
class Gap:
    """Two consecutive uses of a value, with no use in between."""

    used: Uses
    before: int
    after: int


def run(compiled: Compiled) -> None:
    """Keep values in bfloat16 if the options ask for it and the arena gets smaller."""
    if compiled.saved != "bf16":
        return
    others = [max(shared_usage(p), default=0) for p in compiled.programs if p.kind not in TRAINING]
    for program in compiled.programs:
        if program.kind in TRAINING and program.instructions:
            choices = program.instructions, Waiting(program).lowest(max(others, default=0))
            program.instructions = min(choices, key=lambda i: placed(program, i))


def placed(program: Program, instructions: list[Instruction]) -> int:
    """Return the bytes of scratch that the planner needs for these instructions."""
    return place(in_place(replace(program, instructions=instructions))).peak


def shared_usage(program: Program) -> list[int]:
    """Return the scratch bytes live at each instruction once outputs share their inputs' bytes."""
    return usage(in_place(program))


def in_place(program: Program) -> Program:
    """Return a copy of the program in which outputs share their inputs' bytes, as after share_in_place."""
    instructions, bindings = [copy(i) for i in program.instructions], [copy(b) for b in program.bindings]
    shared = replace(program, instructions=instructions, bindings=bindings)
    share(shared)
    return shared


class Waiting:
    """A training program in which more and more values wait as bfloat16."""

    def __init__(self, program: Program) -> None:
        """Start with all values waiting as float32."""
        self.program = replace(program, instructions=list(program.instructions))
        self.uses = self.program.uses()
        self.bound = program.bound()
        self.halves: dict[Buffer, Ref] = {}  # float32 buffer converted from bfloat16 -> its source

    def lowest(self, enough: int) -> list[Instruction]:
        """Return the instructions with the fewest rounded values for the lowest peak, or one of `enough` bytes."""
        best: list[Instruction] = []
        lowest = 0
        while True:
            alive = shared_usage(self.program)
            peak = max(alive)
            if not best or peak < lowest:
                best, lowest = list(self.program.instructions), peak
            gap = next(self.gaps(alive.index(peak)), None)
            if gap is None or lowest <= enough:
                return best
            self.halve(gap)

    def gaps(self, top: int) -> Iterator[Gap]:
        """Yield the gaps over instruction `top` in which a value can wait as bfloat16, largest value first."""
        seen = self.what_is_seen()
        turn = next((k for k, i in enumerate(self.program.instructions) if i.phase != "forward"), top)
        over = [used for used in self.uses.values() if used.first < top < used.last and self.may_wait(used)]
        for used in sorted(over, key=lambda u: (-u.buffer.size, u.first)):
            touched = sorted({*used.readers, *used.writers})
            k = bisect_left(touched, top)
            is_saved = used.writers[-1] < min(turn, top) or used.buffer in self.halves
            if touched[k] != top and touched[k] >= turn and is_saved:
                gap = Gap(used, touched[k - 1], touched[k])
                after = [self.program.instructions[n] for n in touched[k:]]
                if self.is_long(gap) and not any(id(i) in seen or isinstance(i, EXACT) for i in after):
                    yield gap

    def what_is_seen(self) -> set[int]:
        """Return the ids of the instructions that the loss and outputs depend on; no rounded number may reach them."""
        wanted, found = set(self.bound), set()
        for instruction in reversed(self.program.instructions):
            if any(ref.buffer in wanted for ref in instruction.writes):
                wanted |= {ref.buffer for ref in instruction.reads}
                found.add(id(instruction))
        return found

    def is_long(self, gap: Gap) -> bool:
        """Return whether anything runs in a gap besides conversions to and from bfloat16."""
        inside = self.program.instructions[gap.before + 1 : gap.after]
        return any(not isinstance(i, FloatToBf16 | Bf16ToFloat) for i in inside)

    def may_wait(self, used: Uses) -> bool:
        """Return whether a buffer is local to the program and all its users treat it as float32."""
        buffer = used.buffer
        if buffer.region != "scratch" or buffer in self.bound or used.is_given or buffer.size <= 4:
            return False
        return all(is_float(self.program.instructions[k], buffer) for k in {*used.readers, *used.writers})

    def halve(self, gap: Gap) -> None:
        """Let a value wait in two bytes an element over a gap."""
        whole, made = gap.used.buffer, self.program.instructions[gap.used.writers[0]]
        n, origin, layer = whole.size // 4, made.origin, made.layer
        half = self.halves.get(whole)
        again = Ref(Buffer(f"{whole.name}.again", whole.size, "scratch"))
        after = gap.after
        if half is None:
            half = Ref(Buffer(f"{whole.name}.bf16", whole.size // 2, "scratch"))
            shorter = FloatToBf16(x=Ref(whole), y=half, n=n, origin=origin, layer=layer)
            self.program.insert(gap.before + 1, [shorter], self.uses)
            after += 1
        longer = Bf16ToFloat(x=half, y=again, n=n, origin=origin, layer=layer)
        self.program.insert(after, [longer], self.uses)
        self.halves[again.buffer] = half
        self.read_again(whole, again.buffer, after + 1)

    def read_again(self, whole: Buffer, again: Buffer, first: int) -> None:
        """Make the readers of a value from instruction `first` on read another buffer."""
        old, new = self.uses[whole], self.uses[again]
        kept = bisect_left(old.readers, first)
        old.readers, new.readers = old.readers[:kept], old.readers[kept:]
        for k in new.readers:
            self.program.instructions[k] = renamed(self.program.instructions[k], {whole: again})


def is_float(instruction: Instruction, buffer: Buffer) -> bool:
    """Return whether all operands of an instruction in a buffer are float32."""
    operands = OPCODES[instruction.opcode]["operands"]
    own = [name for name, ref in instruction.operands.items() if ref is not None and ref.buffer is buffer]
    return all(operands[name][1] == "f32" for name in own)
