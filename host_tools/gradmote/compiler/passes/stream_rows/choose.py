"""The choice of sections: the fewest that let a program run in little scratch."""

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
    """A section that may be worth it, and its live bytes if no result overlays an input."""

    section: Section
    apart: int
    coverings: list[Covering]

    def alive(self, overlaid: bool) -> int:
        """Return the live bytes of the section, with or without results that overlay inputs."""
        return self.apart - sum(made.saved for made in self.coverings) * overlaid

    def chosen(self, overlaid: bool) -> Candidate:
        """Return the candidate with its coverings if `overlaid`, else without."""
        return self if overlaid else replace(self, coverings=[])


@dataclass(frozen=True)
class Way:
    """A way to run the instructions up to some index, in sections or not: its scratch peak and extra work."""

    peak: int
    work: int
    sections: tuple[Candidate, ...] = ()


@dataclass
class Candidates:
    """All sections of a program that may be worth it, with the live bytes in each."""

    program: Program
    floor: int  # scratch bytes that the arena has in any case

    @cached_property
    def steps(self) -> list[Step]:
        """Return the instructions with their values."""
        return steps_of(self.program)

    @cached_property
    def plain(self) -> list[int]:
        """Return the live bytes at each instruction of the unstreamed program."""
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
        """Return the most live bytes at any instruction of the unstreamed program."""
        return max(self.plain, default=0)

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the first and last instructions of possible sections.

        One of the instructions must need more than the arena has in any case.
        """
        high = [k for k, alive in enumerate(self.plain) if alive > self.floor]
        for first in range(high[-1] + 1 if high else 0):
            if self.is_start(first):
                above = next(k for k in high if k >= first)
                lasts = takewhile(lambda k: self.steps[k].form is not None, range(first, len(self.steps)))
                yield from ((first, last) for last in lasts if last >= max(above, first + 1) and self.is_end(last))

    def is_end(self, index: int) -> bool:
        """Return whether the next instruction does not work in place on this one's result."""
        return index + 1 == len(self.steps) or not self.is_in_place(index + 1)

    def is_start(self, index: int) -> bool:
        """Return whether an instruction does not work in place on the preceding one's result."""
        return index == 0 or not self.is_in_place(index)

    def is_in_place(self, index: int) -> bool:
        """Return whether an instruction overwrites the preceding one's result."""
        made = self.steps[index].writes.values()
        return any(
            value.maker == index - 1 and any(value.buffer is v.buffer for v in made)
            for value in self.steps[index].reads.values()
        )

    def alive_in(self, section: Section) -> int:
        """Return the live scratch bytes of a section if no result overlays an input."""
        outside = {v.buffer: v.bytes for v in self.values if self.is_beside(v, section)}
        homes = set(section.homes.values())
        whole = [h for h in homes if h.rows is None]
        again = sum(h.value.bytes for h in whole if h.buffer in outside and overwrites(section, h.value))
        outside |= {h.buffer: h.value.bytes for h in whole}
        kept = sum(h.bytes for h in homes if h.rows is not None and h.buffer not in section.momentary)
        return sum(outside.values()) + again + kept + momentary_bytes(section, homes) + panel_bytes(section)

    def is_beside(self, value: Value, section: Section) -> bool:
        """Return whether a section needs a value made elsewhere, or keeps one for later instructions."""
        begun = value.maker
        if value.maker == GIVEN and value.buffer in self.program.rows:  # hoisted; made right before its first reader
            begun = section.first - 1 if value.readers[0] in section.indices else value.readers[0]
        return begun < section.first and value.last >= section.first

    def best(self, limit: float, overlaid: bool) -> Way:
        """Return the way with the least work that needs at most `limit` bytes.

        If there is none, return the way that needs least. `overlaid`: results may overlay inputs.
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
    """Return the most bytes live at once for rows that hold nothing between iterations."""
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
    """Return the bytes of the section's largest panel; a panel is only needed while its instruction runs."""
    panels = (getattr(section.steps[k].instruction, "panel", None) for k in section.indices)
    return max((panel.buffer.size for panel in panels if panel is not None), default=0)


def extra_work(section: Section) -> int:
    """Estimate how many bytes a section moves and how often it starts an instruction."""
    moved = sum(h.bytes * (h.value.rows or 0) for h in set(section.homes.values()) if h.rows is not None and h.rows > 1)
    return moved + 64 * section.iterations * len(section.indices)


def fixed_usage(program: Program, _: dict[Buffer, Uses] | None = None) -> list[int]:
    """Return the live bytes at instructions that cannot run by rows, which no section changes; 0 at others.

    Instructions that can be hoisted out of the way count as others.
    """
    rest = hoisted(program)[1]
    found = zip(rest.instructions, usage(rest), steps_of(rest), strict=True)
    fixed = {instruction: alive for instruction, alive, step in found if step.form is None}
    return [fixed.get(instruction, 0) for instruction in program.instructions]


def choose(programs: list[Program]) -> list[tuple[Candidate, ...]]:
    """Return the sections of each program.

    The arena is as large as the largest program needs, so the others need not be smaller than that. Results
    overlay inputs only if that saves bytes.
    """
    floor = max((alive for program in programs for alive in fixed_usage(program)), default=0)
    candidates = [Candidates(program, floor) for program in programs]
    least = {o: max((found.best(0, o).peak for found in candidates), default=0) for o in (False, True)}
    overlaid = least[True] < least[False]
    return [found.best(least[overlaid], overlaid).sections for found in candidates]
