"""The heuristic planner, which places each scratch buffer in turn in the smallest gap that fits.

Gaps are between the buffers live at the same time, so the result depends only on the order. The
planner tries several orders. If none reaches the lower bound, a search improves the best one by
moving buffers at the top to an earlier position. The search is bounded by a count, not by time: the
same program gets the same offsets on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..ir.instruction import Buffer
from ..ir.program import Overlay, Program
from .lifetimes import Lifetime, aligned, lifetimes, lower_bound
from .shelf import Shelf, best_gap

#: The search compares this many pairs of buffers in all.
EFFORT = 1_000_000

#: From this number of buffers on, gaps are found with arrays, which do many comparisons at once.
MANY = 512

#: Sort keys of the initial orders.
ORDERS: tuple[Callable[[Lifetime], tuple[int, ...]], ...] = (
    lambda s: (-s.buffer.size, s.start),
    lambda s: (-s.buffer.size * (s.end - s.start), s.start),
    lambda s: (s.start - s.end, -s.buffer.size),
    lambda s: (s.start, -s.buffer.size),
)


@dataclass(frozen=True)
class Placement:
    """The offsets of scratch buffers from the start of scratch.

    `peak` is the end of the highest buffer in bytes, and `bound` a proven lower bound of it.
    """

    offsets: dict[Buffer, int]
    spans: list[Lifetime]
    peak: int
    bound: int

    @property
    def is_optimal(self) -> bool:
        """Return whether no placement can need less."""
        return self.peak == self.bound


def place(program: Program, given: Mapping[Buffer, int] | None = None, search: bool = True) -> Placement:
    """Return the best placement that the heuristic and its search find.

    `given` maps already placed scratch buffers to their offsets. search=False skips the search.
    """
    uses = program.uses()
    spans, bound = lifetimes(program, uses), lower_bound(program, uses)
    puzzle = Puzzle(spans, given or {}, program.overlays)
    best = first_of(puzzle, bound)
    if search and best.peak > bound:
        best = improve(puzzle, best, bound)
    offsets = {span.buffer: offset for span, offset in zip(spans, best.offsets, strict=True)}
    return Placement(offsets, spans, best.peak, bound)


def first_of(puzzle: Puzzle, bound: int) -> Solution:
    """Return the best solution of all ORDERS, the first of equally good ones."""
    best: Solution | None = None
    for rule in ORDERS:
        if best is None or best.peak > bound:
            order = sorted(range(len(puzzle.spans)), key=lambda k, rule=rule: rule(puzzle.spans[k]))  # type: ignore[misc]
            best = puzzle.solve(order, None if best is None else best.peak - 1) or best
    assert best is not None
    return best


@dataclass(frozen=True)
class Solution:
    """An order of placement, the resulting offsets, and the end of the highest buffer."""

    order: list[int]
    offsets: list[int]
    peak: int


class Puzzle:
    """The placement problem: sizes, the neighbours live at the same time, given offsets.

    An offset of -1 means not given. `seen` has the pairs of a buffer and another one that may overlay it, in both
    orders, as (begin, bytes): the range that the second takes from the first, relative to the second's offset. The
    number of bytes may be negative.
    """

    def __init__(
        self, spans: list[Lifetime], given: Mapping[Buffer, int], overlays: Mapping[Buffer, Overlay] | None = None
    ) -> None:
        """Align the sizes and find each buffer's neighbours."""
        self.spans = spans
        self.sizes = [aligned(s.buffer.size) for s in spans]
        self.given = [given.get(s.buffer, -1) for s in spans]
        self.neighbours = neighbours(spans) if len(spans) < MANY else LazyNeighbours(spans)
        self.seen: dict[tuple[int, int], tuple[int, int]] = {}
        position = {s.buffer: k for k, s in enumerate(spans)}
        for buffer, overlay in (overlays or {}).items():
            upper, under, furthest = position[buffer], position[overlay.under], overlay.furthest
            free = min(furthest + self.sizes[upper], self.sizes[under])
            self.seen[upper, under] = free, self.sizes[under] - free
            self.seen[under, upper] = 0, -furthest
        self.paired = {k for pair in self.seen for k in pair}

    def taken(self, k: int, offsets: list[int]) -> list[tuple[int, int]]:
        """Return the offset and size of the range that each placed neighbour takes from a buffer."""
        found = [(j, offsets[j]) for j in self.neighbours[k] if offsets[j] >= 0]
        if k not in self.paired:
            return [(offset, self.sizes[j]) for j, offset in found]
        seen = ((offset, self.seen.get((k, j), (0, self.sizes[j]))) for j, offset in found)
        return [(offset + begin, size) for offset, (begin, size) in seen]

    def solve(self, order: list[int], most: int | None = None) -> Solution | None:
        """Place the buffers in this order, each in the smallest gap that holds it.

        Returns None as soon as a buffer ends past `most` bytes.
        """
        offsets = list(self.given)
        peak = max((o + s for o, s in zip(offsets, self.sizes, strict=True) if o >= 0), default=0)
        shelf = self.shelf()
        for k in order:
            if self.given[k] >= 0:
                continue
            offsets[k] = self.gap(k, offsets, shelf)
            peak = max(peak, offsets[k] + self.sizes[k])
            if most is not None and peak > most:
                return None
            if shelf is not None:
                shelf.put(offsets[k], self.sizes[k], self.spans[k])
        return Solution(order, offsets, peak)

    def shelf(self) -> Shelf | None:
        """Return the shelf with the given buffers, or None if lists are faster because there are few buffers."""
        if len(self.spans) < MANY:
            return None
        shelf = Shelf(len(self.spans))
        for k, offset in enumerate(self.given):
            if offset >= 0:
                shelf.put(offset, self.sizes[k], self.spans[k])
        return shelf

    def gap(self, k: int, offsets: list[int], shelf: Shelf | None) -> int:
        """Return the offset of the smallest gap that holds a buffer."""
        if shelf is None or k in self.paired:
            return best_gap(self.sizes[k], sorted(self.taken(k, offsets)))
        return shelf.best_gap(self.sizes[k], self.spans[k])


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


class LazyNeighbours(Sequence[list[int]]):
    """The result of neighbours(), computed per lifetime on demand: a large program has too many pairs."""

    def __init__(self, spans: list[Lifetime]) -> None:
        """Order the lifetimes by their starts."""
        self.order = np.array(sorted(range(len(spans)), key=lambda k: spans[k].start), np.int64)
        self.starts = np.array([spans[k].start for k in self.order], np.int64)
        self.ends = np.array([spans[k].end for k in self.order], np.int64)
        self.rank = np.argsort(self.order)

    def __len__(self) -> int:
        """Return the number of lifetimes."""
        return len(self.order)

    def __getitem__(self, k: int) -> list[int]:  # type: ignore[override]
        """Return the indices of the other lifetimes that overlap this one, in the order of their starts."""
        own = self.rank[k]
        beside = (self.starts < self.ends[own]) & (self.ends > self.starts[own])
        beside[own] = False
        return self.order[beside].tolist()

    def pairs(self) -> int:
        """Return the number of neighbours of all lifetimes together.

        The earlier-starting neighbours of a lifetime are all that start before it, minus those that end before it
        starts.
        """
        over = np.searchsorted(np.sort(self.ends), self.starts, side="right")
        return 2 * int((np.arange(len(self)) - over).sum())


def improve(puzzle: Puzzle, best: Solution, bound: int) -> Solution:
    """Return a solution at least as good as `best`, found by random changes of its order.

    Each step moves a buffer at the top, or a neighbour of one, to an earlier position, and keeps
    the new order unless it is worse.
    """
    choose = random.Random(0)
    beside = puzzle.neighbours
    pairs = (beside.pairs() if isinstance(beside, LazyNeighbours) else sum(map(len, beside))) or 1
    for _ in range(max(EFFORT // pairs, 20)):
        top = [k for k, o in enumerate(best.offsets) if o + puzzle.sizes[k] == best.peak]
        moved = choose.choice([*top, *beside[choose.choice(top)]])
        position = best.order.index(moved)
        order = [k for k in best.order if k != moved]
        order.insert(choose.randrange(position + 1), moved)
        best = puzzle.solve(order, best.peak) or best
        if best.peak == bound:
            break
    return best
