"""The choice of sections: those that let a program do with little scratch, and no more of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

from ....ir.instruction import Buffer
from ....ir.program import Program, Uses
from ....plan.lifetimes import usage
from .hoist import hoisted
from .overlay import Covering, coverings
from .section import Home, Section, overwrites, section_of
from .values import GIVEN, Step, Value, steps_of


@dataclass(frozen=True)
class Candidate:
    """A section that may be worth it, and the bytes alive in it where no result lies over an input."""

    section: Section
    apart: int
    coverings: list[Covering]

    def alive(self, overlaid: bool) -> int:
        """Return the bytes that are alive in the section, with results over inputs or without."""
        return self.apart - sum(made.saved for made in self.coverings) * overlaid

    def chosen(self, overlaid: bool) -> Candidate:
        """Return the candidate with the coverings that are to be."""
        return self if overlaid else replace(self, coverings=[])


@dataclass(frozen=True)
class Way:
    """Instructions up to some index, in sections or not: the scratch that they take, and the extra work."""

    peak: int
    work: int
    sections: tuple[Candidate, ...] = ()


@dataclass
class Candidates:
    """All sections of a program that may be worth it, with the bytes that are alive in each."""

    program: Program
    floor: int  # bytes that the arena's scratch has in any case

    @cached_property
    def steps(self) -> list[Step]:
        """Return the instructions with their values."""
        return steps_of(self.program)

    @cached_property
    def plain(self) -> list[int]:
        """Return the bytes alive at each instruction as it stands."""
        return usage(self.program)

    @cached_property
    def values(self) -> list[Value]:
        """Return all values of the program."""
        found = (v for step in self.steps for v in (*step.reads.values(), *step.writes.values()))
        return list(dict.fromkeys(found))

    @cached_property
    def sections(self) -> dict[int, list[Candidate]]:
        """Return the sections that end at each index."""
        found: dict[int, list[Candidate]] = {}
        for first, last in self.ranges():
            section = section_of(self.steps, first, last)
            made = section and Candidate(section, self.alive_in(section), coverings(section))
            if made is not None and made.alive(True) < self.most:
                found.setdefault(last, []).append(made)
        return found

    @cached_property
    def most(self) -> int:
        """Return the most bytes that are alive at an instruction as it stands."""
        return max(self.plain, default=0)

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the first and last instructions of what may be a section.

        One of them must need more than the arena has in any case.
        """
        high = [k for k, alive in enumerate(self.plain) if alive > self.floor]
        for first in range(high[-1] + 1 if high else 0):
            if self.is_start(first):
                above = next(k for k in high if k >= first)
                lasts = takewhile(lambda k: self.steps[k].form is not None, range(first, len(self.steps)))
                yield from ((first, last) for last in lasts if last >= max(above, first + 1) and self.is_end(last))

    def is_end(self, index: int) -> bool:
        """Return whether the next instruction is none that works in place on what this one makes."""
        return index + 1 == len(self.steps) or not self.is_in_place(index + 1)

    def is_start(self, index: int) -> bool:
        """Return whether an instruction does not work in place on what the one before makes."""
        return index == 0 or not self.is_in_place(index)

    def is_in_place(self, index: int) -> bool:
        """Return whether an instruction writes over what the one before it made."""
        made = self.steps[index].writes.values()
        return any(
            value.maker == index - 1 and any(value.buffer is v.buffer for v in made)
            for value in self.steps[index].reads.values()
        )

    def alive_in(self, section: Section) -> int:
        """Return the bytes of scratch that are alive in a section, where no result lies over an input."""
        outside = {v.buffer: v.bytes for v in self.values if self.is_beside(v, section)}
        homes = set(section.homes.values())
        whole = [h for h in homes if h.rows is None]
        again = sum(h.value.bytes for h in whole if h.buffer in outside and overwrites(section, h.value))
        outside |= {h.buffer: h.value.bytes for h in whole}
        kept = sum(h.bytes for h in homes if h.rows is not None and h.buffer not in section.momentary)
        return sum(outside.values()) + again + kept + momentary_bytes(section, homes) + panel_bytes(section)

    def is_beside(self, value: Value, section: Section) -> bool:
        """Return whether a section needs a value that it does not make, or keeps it for what follows."""
        begun = value.maker
        if value.maker == GIVEN and value.buffer in self.program.rows:  # hoisted, and made right before it is read
            begun = section.first - 1 if value.readers[0] in section.indices else value.readers[0]
        return begun < section.first and value.last >= section.first

    def best(self, limit: float, overlaid: bool) -> Way:
        """Return the way of least work among those that need no more than `limit` bytes.

        Where there is none, it is the way that needs least. `overlaid`: results may lie over inputs.
        """
        ways = [Way(0, 0)]
        for index, alive in enumerate(self.plain):
            choices = [Way(max(ways[-1].peak, alive), ways[-1].work, ways[-1].sections)]
            for made in self.sections.get(index, []):
                before, needed = ways[made.section.first], made.alive(overlaid)
                if needed < self.most:
                    work = before.work + extra_work(made.section)
                    choices.append(Way(max(before.peak, needed), work, (*before.sections, made.chosen(overlaid))))
            ways.append(min(choices, key=lambda way: (max(way.peak, limit), way.work, way.peak)))
        return ways[-1]


def momentary_bytes(section: Section, homes: set[Home]) -> int:
    """Return the most bytes of rows alive at once that hold nothing from one iteration to the next."""
    change = dict.fromkeys(range(section.first, section.last + 2), 0)
    for home in homes:
        if home.rows is not None and home.buffer in section.momentary:
            change[home.head] += home.bytes
            change[int(home.value.last) + 1] -= home.bytes
    most = alive = 0
    for index in sorted(change):
        alive += change[index]
        most = max(most, alive)
    return most


def panel_bytes(section: Section) -> int:
    """Return the bytes of the largest panel of a section; each is needed while its instruction runs."""
    panels = (getattr(section.steps[k].instruction, "panel", None) for k in section.indices)
    return max((panel.buffer.size for panel in panels if panel is not None), default=0)


def extra_work(section: Section) -> int:
    """Return roughly how many bytes a section moves, and how often it begins an instruction."""
    moved = sum(h.bytes * (h.value.rows or 0) for h in set(section.homes.values()) if h.rows is not None and h.rows > 1)
    return moved + 64 * section.iterations * len(section.indices)


def fixed_usage(program: Program, _: dict[Buffer, Uses] | None = None) -> list[int]:
    """Return the bytes alive at instructions that do not run by rows, which no section changes; 0 at others.

    Those that can be hoisted out of the way are among the others.
    """
    rest = hoisted(program)[1]
    found = zip(rest.instructions, usage(rest), steps_of(rest), strict=True)
    fixed = {instruction: alive for instruction, alive, step in found if step.form is None}
    return [fixed.get(instruction, 0) for instruction in program.instructions]


def choose(programs: list[Program]) -> list[tuple[Candidate, ...]]:
    """Return the sections of each program.

    The arena is as large as the largest program needs: the others need not be smaller than that. Results lie over
    inputs only where that is less.
    """
    floor = max((alive for program in programs for alive in fixed_usage(program)), default=0)
    candidates = [Candidates(program, floor) for program in programs]
    least = {o: max((found.best(0, o).peak for found in candidates), default=0) for o in (False, True)}
    overlaid = least[True] < least[False]
    return [found.best(least[overlaid], overlaid).sections for found in candidates]
