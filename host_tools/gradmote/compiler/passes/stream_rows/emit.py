"""The loop that runs a section row by row.

The loop contains each instruction of the section once per form: one for the rows in the middle, and
others for those whose window reaches into the padding. A GUARD in front of each selects the
iterations in which it runs, and advances its whole operands by a row. In front of the first
instruction that writes to a buffer of several rows, a SHIFT drops the oldest row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ....ir.generated.instructions import Guard, Loop, Shift
from ....ir.instruction import Instruction, Ref
from ....ir.loops import words_of
from .section import Home, Section
from .values import Value

#: The most operands that a GUARD moves.
MOST_MOVED = 3


@dataclass(frozen=True)
class RowCall:
    """One row of one instruction: its parameters, and the addresses of its operands.

    `fixed` are the operands in buffers of rows, `whole` those in whole tensors.
    """

    params: dict[str, int]
    fixed: dict[str, Ref]
    whole: dict[str, Ref]

    def steps_to(self, other: RowCall) -> dict[str, int]:
        """Return the distance in bytes of each whole operand to that of another row."""
        return {name: other.whole[name].offset - ref.offset for name, ref in self.whole.items()}

    def is_like(self, other: RowCall) -> bool:
        """Return whether both rows differ only in the addresses of whole operands."""
        places = [{n: (r.buffer, r.offset) for n, r in call.fixed.items()} for call in (self, other)]
        return self.params == other.params and places[0] == places[1]


@dataclass(frozen=True)
class Run:
    """Consecutive rows of one instruction under one GUARD."""

    first: int
    count: int
    call: RowCall
    steps: dict[str, int]


def loop_of(section: Section) -> list[Instruction]:
    """Return the instructions of the loop that runs the section."""
    body = [made for index in section.indices for made in rows_of(section, index)]
    loop = Loop(body=sum(map(words_of, body)), iterations=section.iterations)
    return [loop.in_place_of(section.steps[section.first].instruction), *body]


def rows_of(section: Section, index: int) -> Iterator[Instruction]:
    """Yield the loop instructions that make one instruction's rows."""
    form, output = section.form(index), section.output(index)
    home = section.homes[output]
    whole = form.instruction
    if home.head == index and home.rows is not None and home.rows > 1 and form.rows > 1:
        shift = Shift(x=Ref(home.buffer), n=home.buffer.size, by=home.row_bytes)
        yield guard_of(section, output, Run(1, form.rows - 1, RowCall({}, {}, {}), {}), shift).in_place_of(whole)
        yield shift.in_place_of(whole)
    for run in runs(calls(section, index)):
        made = form.make(run.call.params, {**run.call.fixed, **run.call.whole})
        if run.steps or run.count < section.iterations:
            yield guard_of(section, output, run, made).in_place_of(whole)
        yield made


def guard_of(section: Section, output: Value, run: Run, made: Instruction) -> Guard:
    """Return the GUARD of a run of rows."""
    names = list(made.extents)
    moved = [(names.index(name), step) for name, step in run.steps.items() if step]
    moved += [(0, 0)] * (MOST_MOVED - len(moved))
    (a, step_a), (b, step_b), (c, step_c) = moved
    return Guard(
        first=section.time(output, run.first), count=run.count, period=section.periods[output],
        operand_a=a, step_a=step_a, operand_b=b, step_b=step_b, operand_c=c, step_c=step_c,
    )  # fmt: skip


def runs(rows: list[RowCall]) -> Iterator[Run]:
    """Yield the longest runs of rows that one GUARD can run."""
    first = 0
    while first < len(rows):
        call, end = rows[first], first + 1
        steps = call.steps_to(rows[end]) if end < len(rows) and call.is_like(rows[end]) else {}
        while end < len(rows) and is_next(rows[end - 1], rows[end], steps):
            end += 1
        yield Run(first, end - first, call, steps if end - first > 1 else {})
        first = end


def is_next(before: RowCall, row: RowCall, steps: dict[str, int]) -> bool:
    """Return whether a row continues a run whose whole operands advance by `steps`."""
    moved = [step for step in steps.values() if step]
    fits = len(moved) <= MOST_MOVED and all(step > 0 for step in moved)
    return fits and before.is_like(row) and before.steps_to(row) == steps


def calls(section: Section, index: int) -> list[RowCall]:
    """Return each row of an instruction as the loop calls it."""
    return [call_of(section, index, row) for row in range(section.form(index).rows)]


def call_of(section: Section, index: int, row: int) -> RowCall:
    """Return one row of an instruction as the loop calls it."""
    step, form = section.steps[index], section.form(index)
    params, fixed, whole = form.window_params(row), {}, {}
    time = section.time(section.output(index), row)
    for name, moving in form.moving.items():
        value = step.writes[name] if name in form.writes else step.reads.get(name)
        home = section.homes.get(value) if value is not None else None
        at = moving.window.first(row) if name in form.reads else row
        if home is not None and home.rows is not None and value is not None:
            fixed[name] = Ref(home.buffer, slot(section, home, value, at, time) * home.row_bytes)
            params |= moving.strides
        else:
            buffer = moving.ref.buffer if home is None else home.buffer
            whole[name] = Ref(buffer, moving.ref.offset + at * moving.row_bytes)
    return RowCall(params, fixed, whole)


def slot(section: Section, home: Home, value: Value, row: int, time: int) -> int:
    """Return the position of a value's row in its buffer; the latest row is the last."""
    assert home.rows is not None
    return home.rows - 1 - (section.latest(value, time) - row)
