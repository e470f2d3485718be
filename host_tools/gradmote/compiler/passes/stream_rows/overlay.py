"""The results of a section that may overlay input rows that nothing reads again.

A loop reads its inputs from the first row to the last, and writes its results in the same order. A result that
does not overtake the reads can reuse the input's bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from .section import Home, Section
from .values import Value

#: The alignment of scratch buffers, in bytes.
WORD = 4


@dataclass(frozen=True)
class Covering:
    """A result of a section, the value that it may overlay, and its largest start offset from the value's start."""

    home: Home
    under: Value
    furthest: int

    @property
    def saved(self) -> int:
        """Return the most bytes that both can share."""
        return min(self.home.value.bytes, self.home.value.bytes + self.furthest, self.under.bytes)


def coverings(section: Section) -> list[Covering]:
    """Return the results that may overlay inputs, matched one to one, the largest savings first."""
    results = [h for h in dict.fromkeys(section.homes.values()) if h.rows is None]
    inputs = [value for value in given(section) if is_free_after(section, value)]
    found = [made for home in results for value in inputs if (made := covering(section, home, value)) is not None]
    chosen: list[Covering] = []
    for made in sorted(found, key=lambda c: -c.saved):
        if all(made.home is not c.home and made.under is not c.under for c in chosen):
            chosen.append(made)
    return chosen


def given(section: Section) -> list[Value]:
    """Return the scratch values that the section reads but does not make."""
    read = (v for k in section.indices for v in section.steps[k].reads.values())
    return [v for v in dict.fromkeys(read) if v.buffer.region == "scratch" and not section.is_inner(v)]


def is_free_after(section: Section, value: Value) -> bool:
    """Return whether the section reads only rows of a value, and nothing uses its bytes afterwards."""
    inside = [k for k in value.readers if k >= section.first]
    by_rows = all(
        name in section.form(k).reads
        for k in inside
        if k <= section.last
        for name, read in section.steps[k].reads.items()
        if read is value
    )
    return by_rows and value.last <= section.last and not value.is_replaced


def covering(section: Section, home: Home, value: Value) -> Covering | None:
    """Return how a result may overlay an input, or None if that saves nothing.

    No instruction may read the one and write the other: its operands would overlap, which the verifier rejects.
    """
    if not begins_in(section, home.value) or any(
        home is section.homes[section.output(k)] for k in readers(section, value)
    ):
        return None
    made = Covering(home, value, furthest(section, home, value) // WORD * WORD)
    return made if made.saved > 0 else None


def begins_in(section: Section, value: Value) -> bool:
    """Return whether the section is the first to use the value's buffer."""
    return section.is_inner(value) and (value.previous is None or begins_in(section, value.previous))


def furthest(section: Section, home: Home, value: Value) -> int:
    """Return the largest offset from the start of an input at which a result may start.

    The last byte of each written row must come before all bytes still to be read.
    """
    rows = range(section.form(home.head).rows)
    return min(needed_from(section, home, row, value) - end_of(section, home, row) for row in rows)


def end_of(section: Section, home: Home, row: int) -> int:
    """Return the offset past the bytes of a result's row and of all rows before it."""
    makers = (section.form(v.maker) for v, place in section.homes.items() if place is home)
    written = [(form.rows, moving) for form in makers for moving in form.writes.values()]
    size = home.value.buffer.size
    return max(size - (rows - 1 - row) * m.row_bytes if m.is_dense else size for rows, m in written)


def needed_from(section: Section, home: Home, row: int, value: Value) -> int:
    """Return the first byte of an input that is still to be read when a row of a result is written."""
    now, firsts = section.time(home.value, row), [value.buffer.size]
    for k in readers(section, value):
        output = section.output(k)
        late = now + (k < home.head) - section.starts[output]  # within an iteration the earlier instruction comes first
        next_row = max(0, -(-late // section.periods[output]))
        for moving in section.readings(k, value):
            if next_row < moving.window.outputs:
                firsts.append(moving.ref.offset + moving.window.first(next_row) * moving.row_bytes)
    return min(firsts)


def readers(section: Section, value: Value) -> list[int]:
    """Return the instructions of the section that read a value."""
    return [k for k in dict.fromkeys(value.readers) if k in section.indices]
