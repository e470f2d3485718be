"""The search for plans that need less memory, each with as few extra instructions as it finds.

It starts with the plan that keeps everything, and lowers the limit of bytes step by step. Each step looks at the
instruction with the most live bytes, and makes the one change that removes the most bytes above the limit per added
machine instruction: it drops a value over a gap, or moves one of the program's own instructions. If no single
change helps in a short program, it tries several at random. Then it undoes the changes that the step did not need.
The plans are not proven optimal: smaller and faster ones may exist.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .problem import SMALL, Problem
from .walk import NEVER, Gap, Plan, TooLate, Walk

#: Each step of the search lowers the limit to this fraction of the peak. Which fraction leads to the better plan is
#: chance: programs of fewer than LONG instructions try all of them.
STEPS, LONG = (0.93, 0.97), 300
#: The number of steps beyond the requested limit.
SPARE = 2
#: The number of random changes to try if no single change helps.
WANDERINGS = 400
#: Each change is the best one over this many of the values that are cheapest to recompute.
CHEAPEST = 16
#: A value that is recomputed several times for others may be kept from one of the last LATEST times on.
LATEST = 3
#: The sweeps in which a step undoes the changes that it did not need.
SWEEPS = 2


@dataclass(frozen=True)
class Point:
    """A plan, the order of the program's own instructions, the most live bytes, and the cost of recomputation.

    `excess` is the sum of the bytes above the limit over all instructions.
    """

    plan: Plan
    order: Sequence[int]
    peak: int
    cost: float
    excess: float


class Search:
    """The search on one problem. `walks` counts the tried plans."""

    def __init__(self, problem: Problem) -> None:
        """Start with the plan that keeps everything."""
        self.problem, self.walks = problem, 0
        count = len(problem.touched)
        self.before: list[list[int]] = [[] for _ in range(count)]
        self.followers: list[list[int]] = [[] for _ in range(count)]
        for first, second in sorted(problem.edges):
            self.before[second].append(first)
            self.followers[first].append(second)
        self.point = self.at({}, range(count), 0)
        self.least = SMALL * self.point.peak
        self.steps = STEPS if count < LONG else STEPS[:1]

    def at(self, plan: Plan, order: Sequence[int], limit: float) -> Point:
        """Return the point of a plan; raise TooLate if it cannot run."""
        self.walks += 1
        return self.point_of(Walk(self.problem, plan, order), limit)

    def point_of(self, walk: Walk, limit: float) -> Point:
        """Return the point of a walk."""
        usage = walk.usage()
        return Point(walk.plan, walk.order, max(usage), walk.cost, sum(b - limit for b in usage if b > limit))

    def front(self, stop: Callable[[Point], bool] = lambda _: False) -> Iterator[Point]:
        """Yield points of falling peaks until no change lowers the peak any more, or `stop` returns True.

        Then start over with the next of the steps.
        """
        for step in self.steps:
            point: Point | None = self.point
            while point is not None and not stop(point):
                yield point
                point = self.lowered(point, step * point.peak)

    def down_to(self, limit: int, stop: Callable[[Point], bool] = lambda _: False) -> Iterator[Point]:
        """Yield points of falling peaks until one is within the limit, plus SPARE further ones, for each step.

        The plan of offsets may need more than the peak, and then takes one of the further ones. `stop` also ends a
        step.
        """
        for step in self.steps:
            point: Point | None = self.point
            spare = SPARE
            while point is not None and spare >= 0 and not stop(point):
                yield point
                spare -= point.peak <= limit
                lower = step * point.peak
                point = self.lowered(point, max(limit, lower) if point.peak > limit else lower)

    def lowered(self, point: Point, limit: float) -> Point | None:
        """Return a point whose peak is at most the limit, starting from `point`; None if no change gets there."""
        found: Point | None = self.at(point.plan, point.order, limit)
        while found is not None and found.excess > 0:
            found = self.best_change(found, limit)
        return found and self.cheapened(found, limit)

    def best_change(self, point: Point, limit: float) -> Point | None:
        """Return the point after the change that lowers the excess at the least cost, or None.

        If no single change lowers it in a short program, try several at random.
        """
        found = self.best_single(point, point, limit, [])
        return found if found is not None or len(point.order) >= LONG else self.wandered(point, limit)

    def wandered(self, point: Point, limit: float) -> Point | None:
        """Return a point of lower excess after random changes that never add to the excess, or None.

        The random numbers are the same each time, and so is the result.
        """
        choose, now = random.Random(0), point
        gaps = self.backward_gaps()
        for _ in range(WANDERINGS if gaps else 0):
            plan = dict(now.plan)
            for gap in choose.choices(gaps, k=choose.choice((1, 1, 2, 3))):
                number = choose.choice((None, 0, NEVER, choose.randrange(len(point.order))))
                plan = {g: n for g, n in plan.items() if g != gap} | ({} if number is None else {gap: number})
            tried = self.tried(plan, now.order, limit)
            if tried is not None and tried.excess <= now.excess:
                now = tried
                if now.excess < point.excess:
                    return now
        return None

    def backward_gaps(self) -> list[Gap]:
        """Return the gaps in front of backward uses of large values that can be recomputed."""
        gaps: list[Gap] = []
        for value, maker in enumerate(self.problem.maker):
            if maker is not None and self.problem.sizes[value] >= self.least:
                uses = self.problem.uses[value]
                gaps += [(value, k) for k in range(1, len(uses)) if uses[k] >= self.problem.turn]
        return gaps

    def best_single(self, point: Point, above: Point, limit: float, tried: list[Point]) -> Point | None:
        """Return the point one change from `point` that lowers the excess of `above` at the least cost.

        Returns None if there is none. Appends all tried points to `tried`.
        """
        walk = Walk(self.problem, point.plan, point.order)
        seen: set[object] = set()
        for top in tops(walk.usage(), limit):
            changed = list(self.changed(walk, point, top, limit, seen))
            tried += changed
            lower = [p for p in changed if p.excess < above.excess]
            if lower:
                return min(lower, key=lambda p: price_of(above, p))
        return None

    def tried(self, plan: Plan, order: Sequence[int], limit: float) -> Point | None:
        """Return the point of a plan, or None if it cannot run."""
        try:
            return self.at(plan, order, limit)
        except TooLate:
            return None

    # ---- Changes

    def changed(self, walk: Walk, point: Point, top: int, limit: float, seen: set[object]) -> Iterator[Point]:
        """Yield the points after changes that may lower the bytes at instruction `top` of a walk.

        `seen` holds the gaps and instructions already changed; those changed now are added.
        """
        position = {index: k for k, index in enumerate(point.order)}
        alive = [v for v, first, last in zip(walk.value, walk.start, walk.end, strict=True) if first <= top <= last]
        large = [v for v in alive if self.problem.sizes[v] >= self.least]
        gaps = [g for v in large for g in self.gaps_at(v, walk.places[top], position) if g not in seen]
        for gap in sorted(gaps, key=self.price)[:CHEAPEST]:
            seen.add(gap)
            yield from self.dropped(point, gap, limit)
        for index in [walk.ran[top], *(k for v in large for k in self.ends(v, position))]:
            if index not in seen:
                seen.add(index)
                for order in self.moves(point.order, position, index):
                    moved = self.tried(point.plan, order, limit)
                    yield from [moved] if moved else []

    def gaps_at(self, value: int, place: int, position: dict[int, int]) -> list[Gap]:
        """Return the gap of a recomputable value over a place in the order, and the next one."""
        if self.problem.maker[value] is None:
            return []
        used = sum(position[k] < place for k in self.problem.uses[value])
        return [(value, k) for k in (used, used + 1) if 0 < k <= len(self.problem.uses[value])]

    def price(self, gap: Gap) -> float:
        """Return the machine instructions per byte that it takes to recompute a value."""
        maker = self.problem.maker[gap[0]]
        return maker.cost / self.problem.sizes[gap[0]] if maker else 0.0

    def ends(self, value: int, position: dict[int, int]) -> list[int]:
        """Return the first and the last instruction that touch a value; none if it can be recomputed."""
        if self.problem.maker[value] is not None:
            return []
        uses = self.problem.uses[value]
        return [min(uses, key=position.__getitem__), max(uses, key=position.__getitem__)]

    def dropped(self, point: Point, gap: Gap, limit: float) -> Iterator[Point]:
        """Yield the points with a value recomputed each time in a gap, or kept from one of the last times on."""
        self.walks += 1
        plan = {**point.plan, gap: NEVER}
        try:
            walk = Walk(self.problem, plan, point.order)
        except TooLate:
            return
        yield self.point_of(walk, limit)
        made = sorted({place for g, place in walk.makings if g == gap})
        for place in made[-LATEST - 1 : -1]:
            held = self.tried({**plan, gap: place}, point.order, limit)
            yield from [held] if held else []

    def moves(self, order: Sequence[int], position: dict[int, int], index: int) -> Iterator[Sequence[int]]:
        """Yield the orders in which an instruction runs as early, and as late, as its dependencies allow."""
        first = max((position[k] for k in self.before[index]), default=-1) + 1
        last = min((position[k] for k in self.followers[index]), default=len(order)) - 1
        for place in {first, last} - {position[index]}:
            others = [k for k in order if k != index]
            yield [*others[:place], index, *others[place:]]

    def cheapened(self, point: Point, limit: float) -> Point:
        """Return the point after all changes that lower the cost within the limit."""
        for _ in range(SWEEPS):
            start = point
            for gap in list(point.plan):
                kept = self.tried({g: n for g, n in point.plan.items() if g != gap}, point.order, limit)
                for changed in [*([kept] if kept else []), *self.dropped(point, gap, limit)]:
                    if changed.excess == 0 and changed.cost < point.cost:
                        point = changed
            if point is start:
                break
        return point


def price_of(before: Point, after: Point) -> float:
    """Return the machine instructions that a change costs per byte of excess that it removes."""
    return (after.cost - before.cost) / (before.excess - after.excess)


def tops(usage: Sequence[int], limit: float) -> list[int]:
    """Return the instructions above the limit, one per number of bytes, highest first."""
    highest: dict[int, int] = {}
    for now, alive in enumerate(usage):
        if alive > limit:
            highest.setdefault(alive, now)
    return [highest[alive] for alive in sorted(highest, reverse=True)]
