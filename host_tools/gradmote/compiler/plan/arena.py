"""Places scratch buffers: one after another, each in the smallest gap that those alive at the same time leave.

What decides is the order. Several are tried, and where none reaches the lower bound, the best is improved by a search:
buffers that stick out at the top come earlier. The search is bounded by a count, not by time: the same program gets the
same places on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..program import Program
from .lifetimes import Lifetime, aligned, lifetimes, lower_bound

#: Pairs of buffers that the search looks at in all.
EFFORT = 1_000_000

#: Orders to begin with: largest first, then by another rule.
ORDERS: tuple[Callable[[Lifetime], tuple[int, ...]], ...] = (
    lambda s: (-s.buffer.size, s.start),
    lambda s: (-s.buffer.size * (s.end - s.start), s.start),
    lambda s: (s.start - s.end, -s.buffer.size),
    lambda s: (s.start, -s.buffer.size),
)


@dataclass(frozen=True)
class Placement:
    """Offsets of scratch buffers from the start of scratch; `peak` is the highest byte used, `bound` what is
    unavoidable."""

    offsets: dict[int, int]  # id(buffer) -> offset
    spans: list[Lifetime]
    peak: int
    bound: int

    @property
    def is_optimal(self) -> bool:
        return self.peak == self.bound


def place(program: Program, given: Mapping[int, int] | None = None) -> Placement:
    """given: id(buffer) -> offset of scratch buffers that have a place already."""
    spans, bound = lifetimes(program), lower_bound(program)
    puzzle = Puzzle(spans, given or {})
    orders = [sorted(range(len(spans)), key=lambda k, rule=rule: rule(spans[k])) for rule in ORDERS]  # type: ignore[misc]
    best = min((puzzle.solve(order) for order in orders), key=lambda s: s.peak)
    if best.peak > bound:
        best = improve(puzzle, best, bound)
    offsets = {id(span.buffer): offset for span, offset in zip(spans, best.offsets, strict=True)}
    return Placement(offsets, spans, best.peak, bound)


@dataclass(frozen=True)
class Solution:
    """An order, where it put each buffer, and the end of the highest."""

    order: list[int]
    offsets: list[int]
    peak: int


class Puzzle:
    """The sizes to place, for each the others that are alive with it, and offsets: -1 where there is none yet."""

    def __init__(self, spans: list[Lifetime], given: Mapping[int, int]) -> None:
        self.sizes = [aligned(s.buffer.size) for s in spans]
        self.given = [given.get(id(s.buffer), -1) for s in spans]
        self.neighbours = neighbours(spans)

    def solve(self, order: list[int]) -> Solution:
        offsets = list(self.given)
        for k in order:
            if self.given[k] >= 0:
                continue
            placed = [(offsets[j], self.sizes[j]) for j in self.neighbours[k] if offsets[j] >= 0]
            offsets[k] = best_gap(self.sizes[k], sorted(placed))
        return Solution(order, offsets, max((o + s for o, s in zip(offsets, self.sizes, strict=True)), default=0))


def neighbours(spans: list[Lifetime]) -> list[list[int]]:
    """For each span the others that it overlaps."""
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
    """Offset of the smallest gap between (offset, size) pairs that takes `need` bytes, else the end."""
    gaps, cursor = [], 0
    for start, size in placed:
        if start - cursor >= need:
            gaps.append((start - cursor, cursor))
        cursor = max(cursor, start + size)
    return min(gaps)[1] if gaps else cursor


def improve(puzzle: Puzzle, best: Solution, bound: int) -> Solution:
    """Moves a buffer at the top, or one beside it, forward in the order; keeps what is no worse."""
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
