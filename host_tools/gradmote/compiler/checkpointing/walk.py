"""The walk through a program that drops and recomputes values as a plan says.

A plan has a number n for each gap, between two uses of a recomputable value, over which the value is dropped. n is
a place in the order of the program's own instructions: if the value is recomputed inside the gap for another
value's sake, from place n on it then stays until the gap's end. With NEVER it is recomputed each time. Over all
other gaps, values are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from .problem import Maker, Problem

#: A place past the end of every program.
NEVER = 1 << 30
#: A gap between two uses of a value: (value, number of its uses before the gap).
Gap = tuple[int, int]
Plan = dict[Gap, int]


class TooLate(Exception):
    """The plan recomputes a value from a weight that has been updated."""


class Walk:
    """The instructions that run under a plan, without those that touch only small buffers, and their live bytes.

    `ran` has the number of each instruction in the order in which they run, `places` the place in the order for
    which it runs, and `made` whether it is a recomputation.
    Each computation of a value is a version of it: `value`, `start` and `end` have the version's value, and the
    first and last instruction of `ran` that touch it. `versions` has the versions that each instruction touches, in
    the order of Problem.touched. `cost` are the machine instructions of recomputation.
    """

    def __init__(self, problem: Problem, plan: Plan, order: Sequence[int]) -> None:
        """Walk through the program in an order; raise TooLate if a value cannot be recomputed any more."""
        self.problem, self.plan, self.order = problem, plan, order
        self.ran: list[int] = []
        self.made: list[bool] = []
        self.places: list[int] = []
        self.versions: list[tuple[int, ...]] = []
        self.value: list[int] = []
        self.start: list[int] = []
        self.end: list[int] = []
        self.cost = 0.0
        self.makings: list[tuple[Gap, int]] = []  # recomputations: their gap, and the place that needs it
        count = len(problem.sizes)
        self.current = [-1] * count
        self.used = [0] * count  # how many of the program's own instructions touched a value so far
        self.place = 0
        self.done = bytearray(len(problem.touched))
        for self.place, index in enumerate(order):
            self.step(index, problem.touched[index])

    def step(self, index: int, touched: tuple[int, ...]) -> None:
        """Run one of the program's own instructions, after the recomputations that it needs."""
        for value in touched:
            if self.current[value] < 0 and self.used[value]:
                self.make(value)
        if touched:
            self.run(index, False)
        self.done[index] = 1
        for value in touched:
            self.used[value] += 1
            if (value, self.used[value]) in self.plan:
                self.current[value] = -1

    def make(self, value: int) -> None:
        """Run the instructions that recompute a value."""
        maker = self.problem.maker[value]
        assert maker is not None
        if any(self.done[k] for k in maker.overwrites):
            raise TooLate
        passing = []
        for source in maker.sources:
            if self.current[source] < 0:
                self.make(source)
                passing.append(source)
        self.make_from_sources(maker, value)
        for source in passing:
            if not self.is_kept_again(source):
                self.current[source] = -1

    def make_from_sources(self, maker: Maker, wanted: int) -> None:
        """Run a maker; its other values stay if their own gaps' numbers say so."""
        before = {v: self.current[v] for v in maker.values}
        for value in maker.values:
            self.current[value] = -1
        for index in maker.instructions:
            self.run(index, True)
        self.cost += maker.cost
        for value, version in before.items():
            self.makings.append(((value, self.used[value]), self.place))
            if version >= 0:
                self.current[value] = version
            elif value != wanted and not self.is_kept_again(value):
                self.current[value] = -1

    def is_kept_again(self, value: int) -> bool:
        """Return whether a value that was recomputed inside a gap stays until the gap's end."""
        return self.place >= self.plan.get((value, self.used[value]), 0)

    def run(self, index: int, again: bool) -> None:
        """Append an instruction, with the versions that it touches."""
        now, touched = len(self.ran), self.problem.touched[index]
        for value in touched:
            version = self.current[value]
            if version < 0:
                self.current[value] = len(self.value)
                self.value.append(value)
                self.start.append(now)
                self.end.append(now)
            else:
                self.end[version] = now
        self.ran.append(index)
        self.made.append(again)
        self.places.append(self.place)
        self.versions.append(tuple(self.current[v] for v in touched))

    def usage(self) -> list[int]:
        """Return the scratch bytes live at each instruction of `ran`; shared bytes count once."""
        problem, count = self.problem, len(self.ran)
        change = [0] * (count + 1)
        for value, start, end in zip(self.value, self.start, self.end, strict=True):
            size = problem.sizes[value]
            change[start] += size
            change[count if value in problem.lasting else end + 1] -= size
        alive = list(accumulate(change))[:-1]
        for now, index in enumerate(self.ran):
            alive[now] += problem.rest[self.order[self.places[now]]]
            if problem.shares[index]:
                alive[now] -= self.shared(now, index)
        return alive

    def shared(self, now: int, index: int) -> int:
        """Return the bytes of an output that reuses an input which nothing needs any more."""
        touched, versions = self.problem.touched[index], self.versions[now]
        for output, source in self.problem.shares[index]:
            new, old = versions[touched.index(output)], versions[touched.index(source)]
            if self.end[old] == now and self.start[new] == now and source not in self.problem.lasting:
                return self.problem.sizes[output]
        return 0
