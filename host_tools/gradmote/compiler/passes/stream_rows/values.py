"""The values of a program: what a buffer holds from one write to the next."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ....ir.instruction import Buffer, Instruction, Ref
from ....ir.program import Program
from .row_form import RowForm, element_bytes, row_form, used

#: The maker of a value that the program is given.
GIVEN = -1


@dataclass(eq=False)
class Value:
    """The contents of a buffer between two writes."""

    buffer: Buffer
    maker: int
    #: The number of rows, if known.
    rows: int | None = None
    #: How many samples have rows of their own; a row in a buffer of rows covers all samples.
    batch: int = 1
    #: Indices of the instructions that read it.
    readers: list[int] = field(default_factory=list)
    is_bound: bool = False
    previous: Value | None = None  # value that the buffer held before
    is_replaced: bool = False  # by a later value

    @property
    def last(self) -> float:
        """Return the index of the last instruction that needs it; infinity if the caller does."""
        return math.inf if self.is_bound else max([self.maker, *self.readers])

    @property
    def bytes(self) -> int:
        """Return the scratch bytes of the whole value."""
        return (self.buffer.size + 3) // 4 * 4 if self.buffer.region == "scratch" else 0


@dataclass
class Step:
    """An instruction, the values that it reads and writes by operand, and how it runs by rows."""

    instruction: Instruction
    reads: dict[str, Value]
    writes: dict[str, Value]
    form: RowForm | None
    output: Value | None  # the result, if the instruction can run by rows


def steps_of(program: Program) -> list[Step]:
    """Return the values that each instruction of a program reads and writes."""
    current: dict[Buffer, Value] = {}
    steps = [step(index, instruction, current) for index, instruction in enumerate(program.instructions)]
    for buffer in program.bound():
        if buffer in current:
            current[buffer].is_bound = True
    return steps


def step(index: int, instruction: Instruction, current: dict[Buffer, Value]) -> Step:
    """Return the values of one instruction; `current` maps each buffer to the value that it holds."""
    reads = {}
    for name in used(instruction, "r"):
        ref: Ref = getattr(instruction, name)
        if ref.buffer.region in ("scratch", "input"):
            value = current.setdefault(ref.buffer, Value(ref.buffer, GIVEN))
            value.readers.append(index)
            reads[name] = value
    form = row_form(instruction, rows_read(instruction, reads))
    writes = {}
    for name in used(instruction, "w"):
        ref = getattr(instruction, name)
        if ref.buffer.region == "scratch":
            writes[name] = made(index, ref, form if is_whole(instruction, name) else None, current)
            writes[name].batch = batch_of(form, reads)
    output = next(iter(writes.values())) if len(writes) == 1 and form is not None else None
    if output is None or output.rows is None:
        return Step(instruction, reads, writes, None, None)
    return Step(instruction, reads, writes, form, output)


def made(index: int, ref: Ref, form: RowForm | None, current: dict[Buffer, Value]) -> Value:
    """Return the value that an instruction writes.

    A write to part of the buffer counts as a read of the old value, since the other bytes stay.
    """
    old = current.get(ref.buffer)
    if form is None and old is not None:
        old.readers.append(index)
    if old is not None:
        old.is_replaced = True
    current[ref.buffer] = Value(ref.buffer, index, form.rows if form is not None else None, previous=old)
    return current[ref.buffer]


def batch_of(form: RowForm | None, reads: dict[str, Value]) -> int:
    """Return how many samples of the result have rows of their own."""
    if form is not None and form.is_window:
        return form.instruction.number("batch")
    return max((value.batch for value in reads.values()), default=1)


def rows_read(instruction: Instruction, reads: dict[str, Value]) -> int | None:
    """Return the number of rows of the inputs, or None if unknown."""
    known = [value.rows for value in reads.values() if value.rows is not None]
    return max(known) if known else None


def is_whole(instruction: Instruction, name: str) -> bool:
    """Return whether an instruction writes all of a buffer."""
    ref: Ref = getattr(instruction, name)
    elements = 1
    for dim, _ in instruction.extents[name]:
        elements *= instruction.number(dim)
    return not ref.offset and elements * element_bytes(instruction, name) == ref.buffer.size
