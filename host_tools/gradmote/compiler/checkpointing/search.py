"""The search for plans that need less memory, each for as few instructions as it finds.

It begins with the plan that keeps everything, and lowers the limit of bytes step by step. Each step looks at the
instruction where most is alive, and makes the one change that takes most bytes from above the limit for each machine
instruction that it adds: a value is dropped over a gap, or one of the program's own instructions runs at another place.
Then it takes back what the step did not need. The result is a front: plans of which none is smaller and faster than
another one. It is not proven that there is none better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..passes.schedule import edges_of
from .problem import SMALL, Problem
from .walk import NEVER, Gap, Plan, TooLate, Walk

#: Each step of the search lowers the limit to this part of the peak: for programs of at least LONG instructions to
#: LONG_STEP of it.
STEP, LONG, LONG_STEP = 0.97, 300, 0.93
#: So many steps are made beyond the limit that is asked for.
SPARE = 2
#: Each change is the best one for the so many values that cost least to make again.
CHEAPEST = 16
#: A value that is made several times for others' sake may stay from one of the last so many times on.
LATEST = 3
#: The sweeps in which a step takes back what it did not need.
SWEEPS = 2


@dataclass(frozen=True)
class Point:
    """A plan, the order of the program's own instructions, the most bytes alive, and the cost of what runs again.

    `excess` is the sum of the bytes above the limit over all instructions.
    """

    plan: Plan
    order: Sequence[int]
    peak: int
    cost: float
    excess: float


class Search:
    """The search on one problem. `walks` counts the plans that were tried."""

    def __init__(self, problem: Problem) -> None:
        """Begin with the plan that keeps everything."""
        self.problem, self.walks = problem, 0
        count = len(problem.touched)
        self.before: list[list[int]] = [[] for _ in range(count)]
        self.behind: list[list[int]] = [[] for _ in range(count)]
        for first, second in edges_of(problem.program.instructions):
            self.before[second].append(first)
            self.behind[first].append(second)
        self.point = self.at({}, range(count), 0)
        self.least = SMALL * self.point.peak
        self.step = STEP if count < LONG else LONG_STEP

    def at(self, plan: Plan, order: Sequence[int], limit: float) -> Point:
        """Return the point of a plan; raise TooLate where it cannot run."""
        self.walks += 1
        return self.point_of(Walk(self.problem, plan, order), limit)

    def point_of(self, walk: Walk, limit: float) -> Point:
        """Return the point of a walk."""
        usage = walk.usage()
        return Point(walk.plan, walk.order, max(usage), walk.cost, sum(b - limit for b in usage if b > limit))

    def front(self, stop: Callable[[Point], bool] = lambda _: False) -> Iterator[Point]:
        """Yield points of ever lower peaks, until no change lowers the peak any more, or `stop` says so."""
        point: Point | None = self.point
        while point is not None and not stop(point):
            yield point
            point = self.lowered(point, self.step * point.peak)

    def down_to(self, limit: int) -> Iterator[Point]:
        """Yield points of ever lower peaks until one is within the limit, and SPARE ones behind it.

        The plan of offsets may need more than the peak, and then takes one of these.
        """
        point: Point | None = self.point
        spare = SPARE
        while point is not None and spare >= 0:
            yield point
            spare -= point.peak <= limit
            lower = self.step * point.peak
            point = self.lowered(point, max(limit, lower) if point.peak > limit else lower)

    def lowered(self, point: Point, limit: float) -> Point | None:
        """Return a point whose peak is at most the limit, from a given one; None where no change gets there."""
        found: Point | None = self.at(point.plan, point.order, limit)
        while found is not None and found.excess > 0:
            found = self.best_change(found, limit)
        return found and self.cheapened(found, limit)

    def best_change(self, point: Point, limit: float) -> Point | None:
        """Return the point after the change that lowers the excess for the least cost, or None."""
        walk = Walk(self.problem, point.plan, point.order)
        seen: set[object] = set()
        for top in tops(walk.usage(), limit):
            best: tuple[float, Point] | None = None
            for changed in self.changed(walk, point, top, limit, seen):
                if changed.excess < point.excess:
                    price = (changed.cost - point.cost) / (point.excess - changed.excess)
                    if best is None or price < best[0]:
                        best = price, changed
            if best is not None:
                return best[1]
        return None

    def tried(self, plan: Plan, order: Sequence[int], limit: float) -> Point | None:
        """Return the point of a plan, or None where it cannot run."""
        try:
            return self.at(plan, order, limit)
        except TooLate:
            return None

    # ---- Changes

    def changed(self, walk: Walk, point: Point, top: int, limit: float, seen: set[object]) -> Iterator[Point]:
        """Yield the points after changes that may lower the bytes at instruction `top` of a walk.

        `seen` has the gaps and instructions that were changed before, and takes those that are changed now.
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
        """Return the gap of a value that can be made again over a place in the order, and the one behind."""
        if self.problem.maker[value] is None:
            return []
        used = sum(position[k] < place for k in self.problem.uses[value])
        return [(value, k) for k in (used, used + 1) if 0 < k <= len(self.problem.uses[value])]

    def price(self, gap: Gap) -> float:
        """Return the machine instructions that it takes to make a value again, for each of its bytes."""
        maker = self.problem.maker[gap[0]]
        return maker.cost / self.problem.sizes[gap[0]] if maker else 0.0

    def ends(self, value: int, position: dict[int, int]) -> list[int]:
        """Return the first and the last instruction that touch a value which cannot be made again."""
        if self.problem.maker[value] is not None:
            return []
        uses = self.problem.uses[value]
        return [min(uses, key=position.__getitem__), max(uses, key=position.__getitem__)]

    def dropped(self, point: Point, gap: Gap, limit: float) -> Iterator[Point]:
        """Yield the points where a value is made each time behind a gap, or stays from one of the last times on."""
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
        """Yield the orders in which an instruction runs as early, and as late, as those allow that it depends on."""
        first = max((position[k] for k in self.before[index]), default=-1) + 1
        last = min((position[k] for k in self.behind[index]), default=len(order)) - 1
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


def tops(usage: Sequence[int], limit: float) -> list[int]:
    """Return the instructions above the limit, one for each number of bytes, the highest first."""
    highest: dict[int, int] = {}
    for now, alive in enumerate(usage):
        if alive > limit:
            highest.setdefault(alive, now)
    return [highest[alive] for alive in sorted(highest, reverse=True)]
