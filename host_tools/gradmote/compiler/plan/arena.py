"""The heuristic planner, which gives each scratch buffer in turn the smallest gap that it fits.

A gap is what the buffers alive at the same time leave free, so the result depends on the order
alone. Several orders are tried. Where none reaches the lower bound, a search improves the best one
by moving buffers at the top to an earlier position. The search is bounded by a count, not by time:
the same program gets the same offsets on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..instruction import Buffer
from ..program import Overlay, Program
from .lifetimes import Lifetime, aligned, lifetimes, lower_bound

#: The search compares this many pairs of buffers in all.
EFFORT = 1_000_000

#: Sort keys of the orders that are tried first.
ORDERS: tuple[Callable[[Lifetime], tuple[int, ...]], ...] = (
    lambda s: (-s.buffer.size, s.start),
    lambda s: (-s.buffer.size * (s.end - s.start), s.start),
    lambda s: (s.start - s.end, -s.buffer.size),
    lambda s: (s.start, -s.buffer.size),
)


@dataclass(frozen=True)
class Placement:
    """The offsets of scratch buffers from the start of scratch.

    `peak` is the end of the highest buffer in bytes, and `bound` a proven lower limit of it.
    """

    offsets: dict[Buffer, int]
    spans: list[Lifetime]
    peak: int
    bound: int

    @property
    def is_optimal(self) -> bool:
        """Tell whether no placement can need less."""
        return self.peak == self.bound


def place(program: Program, given: Mapping[Buffer, int] | None = None, search: bool = True) -> Placement:
    """Return the best placement that the heuristic and its search find.

    `given` maps buffer to the offset of each scratch buffer that is placed already. search=False leaves the search out.
    """
    spans, bound = lifetimes(program), lower_bound(program)
    puzzle = Puzzle(spans, given or {}, program.overlays)
    orders = [sorted(range(len(spans)), key=lambda k, rule=rule: rule(spans[k])) for rule in ORDERS]  # type: ignore[misc]
    best = min((puzzle.solve(order) for order in orders), key=lambda s: s.peak)
    if search and best.peak > bound:
        best = improve(puzzle, best, bound)
    offsets = {span.buffer: offset for span, offset in zip(spans, best.offsets, strict=True)}
    return Placement(offsets, spans, best.peak, bound)


@dataclass(frozen=True)
class Solution:
    """An order of placement, the offsets that follow from it, and the end of the highest buffer."""

    order: list[int]
    offsets: list[int]
    peak: int


class Puzzle:
    """The placement problem: sizes, the neighbours that are alive at the same time, given offsets.

    An offset of -1 stands for one that is not given. `seen` has the pairs of a buffer and another one that may lie
    over it, in both orders: what the first has to leave free for the second begins as many bytes behind that one's
    offset, and has as many bytes, which may be less than 0.
    """

    def __init__(
        self, spans: list[Lifetime], given: Mapping[Buffer, int], overlays: Mapping[Buffer, Overlay] | None = None
    ) -> None:
        """Align the sizes and find each buffer's neighbours."""
        self.sizes = [aligned(s.buffer.size) for s in spans]
        self.given = [given.get(s.buffer, -1) for s in spans]
        self.neighbours = neighbours(spans)
        self.seen: dict[tuple[int, int], tuple[int, int]] = {}
        position = {s.buffer: k for k, s in enumerate(spans)}
        for buffer, overlay in (overlays or {}).items():
            upper, under, furthest = position[buffer], position[overlay.under], overlay.furthest
            free = min(furthest + self.sizes[upper], self.sizes[under])
            self.seen[upper, under] = free, self.sizes[under] - free
            self.seen[under, upper] = 0, -furthest
        self.paired = {k for pair in self.seen for k in pair}

    def taken(self, k: int, offsets: list[int]) -> list[tuple[int, int]]:
        """Return the offset and bytes that each placed neighbour takes from a buffer."""
        found = [(j, offsets[j]) for j in self.neighbours[k] if offsets[j] >= 0]
        if k not in self.paired:
            return [(offset, self.sizes[j]) for j, offset in found]
        seen = ((offset, self.seen.get((k, j), (0, self.sizes[j]))) for j, offset in found)
        return [(offset + begin, size) for offset, (begin, size) in seen]

    def solve(self, order: list[int]) -> Solution:
        """Place the buffers in this order, each in the smallest gap that holds it."""
        offsets = list(self.given)
        for k in order:
            if self.given[k] >= 0:
                continue
            offsets[k] = best_gap(self.sizes[k], sorted(self.taken(k, offsets)))
        return Solution(order, offsets, max((o + s for o, s in zip(offsets, self.sizes, strict=True)), default=0))


def neighbours(spans: list[Lifetime]) -> list[list[int]]:
    """Return, for each lifetime, the indices of the others that overlap it."""
    found: list[list[int]] = [[] for _ in spans]
    alive: list[int] = []
    for i in sorted(range(len(spans)), key=lambda k: spans[k].start):
        alive = [j for j in alive if spans[j].end > spans[i].start]
        for j in alive:
            found[i].append(j)
            found[j].append(i)
        alive.append(i)
    return found


def best_gap(need: int, placed: list[tuple[int, int]]) -> int:
    """Return the offset of the smallest gap that holds `need` bytes, or the end where none does.

    `placed` holds (offset, size) pairs, sorted by offset.
    """
    gaps, cursor = [], 0
    for start, size in placed:
        if start - cursor >= need:
            gaps.append((start - cursor, cursor))
        cursor = max(cursor, start + size)
    return min(gaps)[1] if gaps else cursor


def improve(puzzle: Puzzle, best: Solution, bound: int) -> Solution:
    """Return a solution at least as good as `best`, found by changing its order at random.

    Each step moves a buffer at the top, or a neighbour of one, to an earlier position, and keeps
    the new order unless it is worse.
    """
    choose = random.Random(0)
    pairs = sum(map(len, puzzle.neighbours)) or 1
    for _ in range(max(EFFORT // pairs, 20)):
        top = [k for k, o in enumerate(best.offsets) if o + puzzle.sizes[k] == best.peak]
        moved = choose.choice([*top, *puzzle.neighbours[choose.choice(top)]])
        position = best.order.index(moved)
        order = [k for k in best.order if k != moved]
        order.insert(choose.randrange(position + 1), moved)
        tried = puzzle.solve(order)
        if tried.peak <= best.peak:
            best = tried
        if best.peak == bound:
            break
    return best
