"""Makes cheap activations a second time where the backward pass reads them, instead of keeping them over the peak.

An elementwise instruction costs a few percent of the convolution or product beside it; what it makes is as large as
what it was made from. Where its sources stay alive anyway, its result need not: it is dropped after its last reader
before the peak and made again, to the same bits, in front of the first one behind it.
"""

from __future__ import annotations

from dataclasses import replace

from ..plan.lifetimes import lifetimes, usage
from ..program import Buffer, Compiled, Instruction, Program, Ref
from .schedule import order

#: Instructions that read as much as they write, and compute little for each number.
CHEAP = {
    "ABS", "ADD", "CLAMP", "COPY", "GREATER", "HARD_SIGMOID", "HARD_SWISH", "LEAKY_RELU", "MAX", "MIN", "MUL", "PRELU",
    "RELU", "SELECT", "SUB",
}  # fmt: skip
STATE = ("parameter", "statistic", "slot", "control", "gradient")


def run(compiled: Compiled) -> None:
    for program in compiled.programs:
        if program.kind in ("step", "train"):
            program.instructions = min(program.instructions, recomputed(program), key=lambda i: peak(program, i))


def peak(program: Program, instructions: list[Instruction]) -> int:
    """Bytes that a schedule of the instructions needs at least; of equals, min() takes what is given first."""
    scheduled = order(replace(program, instructions=instructions))
    return max(usage(replace(program, instructions=scheduled)), default=0)


def recomputed(program: Program) -> list[Instruction]:
    """The instructions, scheduled, with as few recomputations as reach the lowest peak."""
    trial = replace(program, instructions=[replace(i, operands=dict(i.operands)) for i in order(program)])
    best, lowest = list(trial.instructions), max(usage(trial), default=0)
    while (found := candidate(trial)) is not None:
        make_again(trial, *found)
        needed = max(usage(trial))
        if needed < lowest:
            best, lowest = [replace(i, operands=dict(i.operands)) for i in trial.instructions], needed
    return best


def candidate(program: Program) -> tuple[Buffer, int, list[Instruction]] | None:
    """The largest buffer alive at the peak that can be dropped there: (it, its first reader behind, its makers)."""
    alive = usage(program)
    top = alive.index(max(alive, default=0)) if alive else 0
    ends = {id(s.buffer): s.end for s in lifetimes(program)}
    bound = {id(b.ref.buffer) for b in program.bindings}
    over = [s.buffer for s in lifetimes(program) if s.start <= top < s.end and id(s.buffer) not in bound]
    for buffer in sorted(over, key=lambda b: -b.size):
        touched = [k for k, i in enumerate(program.instructions) if touches(i, buffer)]
        later = [k for k in touched if k > top]
        if later and top not in touched:
            makers = recipe(program, buffer, later[0], ends)
            if makers is not None:
                return buffer, later[0], makers
    return None


def touches(instruction: Instruction, buffer: Buffer) -> bool:
    return any(r.buffer is buffer for r in (*instruction.reads, *instruction.writes))


def recipe(program: Program, buffer: Buffer, at: int, ends: dict[int, int]) -> list[Instruction] | None:
    """The instructions that make a buffer again before instruction `at`, from what is still there; or None."""
    writers = [k for k, i in enumerate(program.instructions) if any(w.buffer is buffer for w in i.writes)]
    maker = program.instructions[writers[0]]
    is_copy = maker.after is not None
    if len(writers) != 1 or is_copy or maker.opcode not in CHEAP or any(r.buffer is buffer for r in maker.reads):
        return None
    makers: list[Instruction] = []
    for source in {id(r.buffer): r.buffer for r in maker.reads}.values():
        if source.region in STATE and is_written(program, source, writers[0], at):
            return None
        if source.region == "scratch" and ends[id(source)] <= at:
            before = recipe(program, source, at, ends)
            if before is None:
                return None
            makers += before
    return [*makers, maker]


def is_written(program: Program, buffer: Buffer, first: int, last: int) -> bool:
    return any(w.buffer is buffer for i in program.instructions[first:last] for w in i.writes)


def make_again(program: Program, buffer: Buffer, at: int, makers: list[Instruction]) -> None:
    """Copies of the makers, with buffers of their own, go before instruction `at`."""
    new = {id(w.buffer): Buffer(f"{w.buffer.name}.again", w.buffer.size, "scratch") for m in makers for w in m.writes}
    after = last_maker(program, at, buffer)
    copies = [replace(m, operands=renamed(m, new), after=after) for m in makers]
    for reader in program.instructions[at:]:
        reader.operands = renamed(reader, {id(buffer): new[id(buffer)]})
    program.instructions[at:at] = copies


def renamed(instruction: Instruction, new: dict[int, Buffer]) -> dict[str, Ref | None]:
    return {
        name: Ref(new[id(ref.buffer)], ref.offset) if ref is not None and id(ref.buffer) in new else ref
        for name, ref in instruction.operands.items()
    }


def last_maker(program: Program, at: int, buffer: Buffer) -> Buffer:
    """What else the reader waits for, or what precedes it: a copy that went earlier would lie about for nothing."""
    reads = program.instructions[at].reads
    others = [r.buffer for r in reads if r.buffer.region == "scratch" and r.buffer is not buffer]
    made = [w.buffer for i in program.instructions[:at] for w in i.writes if w.buffer in others]
    return made[-1] if made else program.instructions[at - 1].writes[0].buffer
