"""The pass that recomputes cheap activations instead of keeping them over the peak.

An elementwise instruction costs a few percent of the convolution or product beside it, but its
result is as large as its sources. If the sources stay live anyway, the result need not: the pass
drops it after its last reader before the peak, and recomputes it, bitwise equal, in front of the
first reader after the peak.

rewrite_recomputed drops and recomputes forward values as the options' Recomputation says instead.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from copy import copy
from dataclasses import replace

from ...ir.generated.instructions import (
    Abs,
    Add,
    Clamp,
    Copy,
    Greater,
    HardSigmoid,
    HardSwish,
    LeakyRelu,
    Max,
    Min,
    Mul,
    Normalize,
    Prelu,
    Relu,
    Select,
    Sub,
)
from ...ir.instruction import Buffer, Instruction
from ...ir.program import TRAINING, Compiled, Program, Recomputation, Uses
from ...plan.lifetimes import lower_bound, usage
from .schedule import order, peak

#: Instructions that read as much as they write and compute little per number.
CHEAP = (
    Abs, Add, Clamp, Copy, Greater, HardSigmoid, HardSwish, LeakyRelu, Max, Min, Mul, Normalize, Prelu, Relu, Select,
    Sub,
)  # fmt: skip


def run(compiled: Compiled) -> None:
    """Recompute activations in the training programs if that lowers the peak."""
    for program in compiled.programs:
        if compiled.recompute is True and program.kind in TRAINING and program.instructions:
            ordered = replace(program, instructions=order(program))
            kept = lower_bound(ordered)
            again = recomputed(ordered)
            if len(again) > len(program.instructions) and peak(program, again) < kept:
                program.instructions = again


def recomputed(trial: Program) -> list[Instruction]:
    """Return a scheduled program with the fewest recomputations that reach the lowest peak; modifies `trial`.

    Adds no more instructions than it had: a long chain would be recomputed from its start for each of its links.
    """
    best, lowest, uses = trial.instructions, math.inf, trial.uses()
    most = 2 * len(best)
    while True:
        alive = usage(trial, uses)
        if max(alive) < lowest:
            best, lowest = list(trial.instructions), max(alive)
        found = candidate(trial, uses, alive.index(max(alive)))
        if found is None or len(trial.instructions) + len(found[2]) > most:
            return best
        make_again(trial, uses, *found)


def candidate(program: Program, uses: dict[Buffer, Uses], top: int) -> tuple[Buffer, int, list[Instruction]] | None:
    """Return the largest buffer that can be dropped over the peak, or None.

    The result is (the buffer, its first reader after the peak, its makers).
    """
    bound = program.bound()
    over = [u for u in uses.values() if u.buffer.region == "scratch" and u.first < top < u.last]
    for dropped in sorted(over, key=lambda u: (-u.buffer.size, u.first)):
        idle = top not in (*dropped.readers, *dropped.writers) and dropped.buffer not in bound
        if idle and not dropped.is_given and dropped.writers[-1] < top:
            at = next(k for k in dropped.readers if k > top)
            makers = recipe(program, uses, dropped, at)
            if makers is not None:
                return dropped.buffer, at, makers
    return None


def recipe(program: Program, uses: dict[Buffer, Uses], made: Uses, at: int) -> list[Instruction] | None:
    """Return the instructions that recompute a buffer before instruction `at`, or None.

    The buffers that they read still hold the same values there. Each instruction appears once, after
    the makers of its sources, however many paths lead to it.
    """
    makers: dict[int, Instruction] = {}
    return list(makers.values()) if add_makers(makers, program, uses, made, at) else None


def add_makers(makers: dict[int, Instruction], program: Program, uses: dict[Buffer, Uses], made: Uses, at: int) -> bool:
    """Add the maker of a buffer by its index, after the makers of its sources; return False if one cannot run again."""
    if made.is_given:
        return False
    index = made.writers[0]
    maker = program.instructions[index]
    is_copy = maker.after is not None
    if len(made.writers) != 1 or is_copy or not isinstance(maker, CHEAP) or made.writers[0] in made.readers:
        return False
    if index in makers:
        return True
    for source in [uses[buffer] for buffer in dict.fromkeys(r.buffer for r in maker.reads)]:
        is_gone = source.buffer.region == "scratch" and source.last < at
        if is_gone and not add_makers(makers, program, uses, source, at):
            return False
        if not is_gone and any(index < k < at for k in source.writers):
            return False
    makers[index] = maker
    return True


def make_again(program: Program, uses: dict[Buffer, Uses], buffer: Buffer, at: int, makers: list[Instruction]) -> None:
    """Insert copies of the makers, with new buffers, in front of instruction `at`.

    From there on, readers use the new buffer.
    """
    new = {w.buffer: Buffer(f"{w.buffer.name}.again", w.buffer.size, "scratch") for m in makers for w in m.writes}
    after = last_maker(program, uses, at, buffer)
    old, again = uses[buffer], new[buffer]
    kept = bisect_left(old.readers, at)
    program.insert(at, [renamed(m, new, after) for m in makers], uses)
    old.readers, uses[again].readers = old.readers[:kept], old.readers[kept:]
    for k in uses[again].readers:
        program.instructions[k] = renamed(program.instructions[k], {buffer: again})


def renamed(instruction: Instruction, new: dict[Buffer, Buffer], after: Buffer | None = None) -> Instruction:
    """Return a copy of the instruction with each buffer replaced according to `new`.

    It waits for `after` if given, else for what the original waits for.
    """
    made = copy(instruction)
    made.after = after or instruction.after
    for old, other in new.items():
        made.redirect(old, other)
    return made


def last_maker(program: Program, uses: dict[Buffer, Uses], at: int, buffer: Buffer) -> Buffer:
    """Return the buffer after which the copies should run.

    This is the last written of the reader's other operands, else the last written buffer. If the copies
    ran earlier, their results would stay live for longer than necessary.
    """
    reads = program.instructions[at].reads
    others = [uses[r.buffer] for r in reads if r.buffer.region == "scratch" and r.buffer is not buffer]
    made = [(k, u.buffer) for u in others for k in u.writers if k < at]
    if made:
        return max(made, key=lambda m: m[0])[1]
    return next(i.writes[-1].buffer for i in reversed(program.instructions[:at]) if i.writes)


def rewrite_recomputed(compiled: Compiled) -> None:
    """Rewrite the training programs once they are scheduled, before buffers share bytes."""
    if isinstance(compiled.recompute, Recomputation):
        for program in compiled.programs:
            if program.kind in TRAINING and program.instructions:
                program.instructions = compiled.recompute.rewrite(program)
