"""A section of a program that runs row by row: when each row is made, and how many rows are kept.

Each instruction runs at most once per iteration and makes one row. Row r of a value is made in
iteration start + r period: a layer of stride 2 runs in every second iteration. A value that nothing
outside of the section needs is kept in a buffer of as many rows as its readers reach back. All
others are whole: their rows are made and read in place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from ....ir.instruction import Buffer
from .row_form import Moving, RowForm, Window
from .values import Step, Value


@dataclass(eq=False)
class Home:
    """The storage of the rows of some values, each made in the same bytes as the previous one.

    `rows` is None if the whole value is stored.
    """

    value: Value  # the last of the values
    head: int  # index of the first instruction that writes
    buffer: Buffer
    rows: int | None
    row_bytes: int

    @property
    def bytes(self) -> int:
        """Return the bytes of the rows, rounded up to words."""
        return (self.buffer.size + 3) // 4 * 4


@dataclass
class Section:
    """Instructions `first` to `last` of a program, which run row by row."""

    steps: list[Step]  # of the whole program
    first: int
    last: int
    periods: dict[Value, int] = field(default_factory=dict)
    starts: dict[Value, int] = field(default_factory=dict)
    homes: dict[Value, Home] = field(default_factory=dict)

    @property
    def indices(self) -> range:
        """Return the indices of the instructions."""
        return range(self.first, self.last + 1)

    def is_inner(self, value: Value) -> bool:
        """Return whether an instruction of the section makes the value."""
        return self.first <= value.maker <= self.last

    def is_line(self, value: Value) -> bool:
        """Return whether only instructions of the section make and read the value."""
        return self.is_inner(value) and value.last <= self.last

    def form(self, index: int) -> RowForm:
        """Return how an instruction runs by rows."""
        form = self.steps[index].form
        assert form is not None
        return form

    def output(self, index: int) -> Value:
        """Return the value that an instruction makes."""
        output = self.steps[index].output
        assert output is not None
        return output

    def row_bytes(self, value: Value) -> int:
        """Return the bytes of a row of a value that the section makes."""
        assert value.rows is not None
        return value.buffer.size // value.rows

    @property
    def iterations(self) -> int:
        """Return how many iterations the loop has."""
        return 1 + max(self.time(v, v.rows - 1) for v in map(self.output, self.indices) if v.rows is not None)

    def time(self, value: Value, row: int) -> int:
        """Return the iteration in which a row is made."""
        return self.starts[value] + row * self.periods[value]

    def latest(self, value: Value, time: int) -> int:
        """Return the last row of a value that exists at the end of an iteration."""
        assert value.rows is not None
        return min(value.rows - 1, (time - self.starts[value]) // self.periods[value])

    @cached_property
    def momentary(self) -> set[Buffer]:
        """Return the row buffers that hold nothing between iterations."""
        return {h.buffer for h in self.homes.values() if h.rows == 1 and self.is_momentary(h.value)}

    def is_momentary(self, value: Value) -> bool:
        """Return whether each row is read only in the iteration that makes it."""
        return all(
            self.time(self.output(k), row) == self.time(value, moving.window.first(row))
            for k in value.readers
            for moving in self.readings(k, value)
            for row in turning_points(moving.window)
        )

    def readings(self, index: int, value: Value) -> list[Moving]:
        """Return the operands through which an instruction reads a value."""
        return [m for name, m in self.form(index).reads.items() if self.steps[index].reads.get(name) is value]


def turning_points(window: Window) -> list[int]:
    """Return output rows between which the first row read advances evenly."""
    inside = -(-window.pad // window.stride)
    return [0, min(inside, window.outputs - 1), window.outputs - 1]


def section_of(steps: list[Step], first: int, last: int) -> Section | None:
    """Return the section of these instructions, or None if they cannot run by rows together."""
    made = Section(steps, first, last)
    if not all(can_stream(made, k) for k in made.indices):
        return None
    if not set_periods(made):
        return None
    set_starts(made)
    set_homes(made)
    return made


# ---- What can run by rows


def can_stream(section: Section, index: int) -> bool:
    """Return whether an instruction of a section can run by rows."""
    step = section.steps[index]
    form = step.form
    if form is None:
        return False
    reads = all(name in form.reads or not section.is_inner(v) for name, v in step.reads.items())
    operands = [(form.reads[n], v) for n, v in step.reads.items() if n in form.reads]
    operands += [(form.writes[n], v) for n, v in step.writes.items()]
    alike = form.is_window or section.output(index).batch == 1 or mixes_samples(section, index)
    return reads and alike and all(has_rows(section, form, moving, value) for moving, value in operands)


def mixes_samples(section: Section, index: int) -> bool:
    """Return whether the samples within a row may be contiguous, as in a buffer of rows.

    In a whole tensor, the rows within a sample are contiguous.
    """
    step, form, batch = section.steps[index], section.form(index), section.output(index).batch
    values = {**step.reads, **step.writes}
    lines = all(name in values and section.is_line(values[name]) for name in form.moving)
    return lines and all(count % batch == 0 for count in form.params.values())


def has_rows(section: Section, form: RowForm, moving: Moving, value: Value) -> bool:
    """Return whether an operand's rows match those of its value, if the section makes the value."""
    if not section.is_inner(value):
        return True
    is_written = any(m is moving for m in form.writes.values())
    same = moving.window.inputs == value.rows
    return same and (moving.is_dense or (is_written and not section.is_line(value)))


# ---- When rows are made


def set_periods(section: Section) -> bool:
    """Set how many iterations separate two rows of each value; return False on a contradiction.

    Given values have a period too: that of their reads.
    """
    periods: dict[Value, int | Fraction] = {}
    for k in section.indices:
        read = section.steps[k].reads
        strides = {read[name]: m.window.stride for name, m in section.form(k).reads.items() if name in read}
        wanted = {periods[v] * s for v, s in strides.items() if v in periods}
        if len(wanted) > 1:
            return False
        own = wanted.pop() if wanted else 1
        for value, stride in strides.items():
            periods.setdefault(value, Fraction(own, stride) if stride > 1 else own)
        periods[section.output(k)] = own
    made = {section.output(k): periods[section.output(k)] for k in section.indices}
    unit = math.lcm(*(p.denominator for p in made.values()))
    whole = {v: int(p * unit) for v, p in made.items()}
    common = math.gcd(*whole.values())
    section.periods = {v: p // common for v, p in whole.items()}
    return True


def set_starts(section: Section) -> None:
    """Set the iteration of each value's first row: the first in which all its inputs are ready."""
    for k in section.indices:
        step = section.steps[k]
        starts = [
            section.starts[step.reads[name]] + moving.window.lead * section.periods[step.reads[name]]
            for name, moving in section.form(k).reads.items()
            if step.reads.get(name) in section.starts
        ]
        section.starts[section.output(k)] = max(starts, default=0)


# ---- Storage of rows


def set_homes(section: Section) -> None:
    """Set the storage of each value's rows that the section makes, from the last value back."""
    for k in reversed(section.indices):
        value = section.output(k)
        home = section.homes.get(value)
        if home is None:
            home = section.homes[value] = new_home(section, value)
        home.head = k
        joined = value_in_place(section, k, home)
        if joined is not None:
            section.homes[joined] = home


def new_home(section: Section, value: Value) -> Home:
    """Return the storage of a value's rows."""
    row_bytes = section.row_bytes(value)
    if not section.is_line(value):
        return Home(value, value.maker, value.buffer, None, row_bytes)
    rows = rows_kept(section, value)
    return Home(value, value.maker, Buffer(f"{value.buffer.name}.rows", rows * row_bytes, "scratch"), rows, row_bytes)


def rows_kept(section: Section, value: Value) -> int:
    """Return how many rows must be kept so that each reader finds those it needs."""
    most = 1
    for k in value.readers:
        for moving in section.readings(k, value):
            window = moving.window
            for row in turning_points(window):
                latest = section.latest(value, section.time(section.output(k), row))
                most = max(most, latest - window.first(row) + 1)
    return most


def value_in_place(section: Section, index: int, home: Home) -> Value | None:
    """Return a value that the instruction may overwrite as it reads it, or None.

    It must be a line that nothing else reads, and must be made in the same iteration.
    """
    step, form, output = section.steps[index], section.form(index), section.output(index)
    if form.is_window or shares_given(section, index):
        return None
    for name in step.instruction.inplace:
        value = step.reads.get(name)
        if value is None or not section.is_line(value) or value.readers != [index] or value in section.homes:
            continue
        same = (section.starts[value], section.row_bytes(value)) == (section.starts[output], home.row_bytes)
        if same and name in form.reads:
            return value
    return None


def shares_given(section: Section, index: int) -> bool:
    """Return whether the instruction overwrites a whole value that it reads."""
    output = section.output(index)
    if section.is_line(output):
        return False
    return any(value.buffer is output.buffer for value in section.steps[index].reads.values())


# ---- Overwriting whole values


def overwrites(section: Section, value: Value) -> bool:
    """Return whether rows of a whole value overwrite rows of another that are still to be read."""
    home = section.homes[value]
    for reader in section.indices:
        for name, old in section.steps[reader].reads.items():
            shares = old.buffer is home.buffer and old is not value and not section.is_line(old)
            if shares and is_too_early(section, reader, name, home):
                return True
    return False


def is_too_early(section: Section, reader: int, name: str, home: Home) -> bool:
    """Return whether a row of `home` is written before an instruction has read the old one in the same bytes."""
    form = section.form(reader)
    moving = form.reads.get(name)
    if moving is None or not moving.is_dense or moving.row_bytes != home.row_bytes:
        return True
    if section.homes[section.output(reader)] is home:
        return form.is_window or name not in form.instruction.inplace
    window, output = moving.window, section.output(reader)
    for row in range(window.inputs):
        last = min(window.outputs - 1, (row + window.pad) // window.stride)
        if (section.time(output, last), reader) > (section.time(home.value, row), home.head):
            return True
    return False
