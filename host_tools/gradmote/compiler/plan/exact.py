"""The best placement there is, by constraint programming (OR-Tools CP-SAT).

Each buffer is a rectangle: its time is fixed, its offset is free, and no two may overlap. What is made least is the end
of the highest. Where the search ends early, the best placement so far is returned, with the bound that was proven.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...errors import GradmoteError
from ..program import Program
from .arena import Placement, place
from .lifetimes import aligned

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

#: Seconds for each program, and those after which progress is told.
LIMIT = 60.0
QUIET = 2.0
#: A fixed number, whatever the machine has: searches that come to their end are then the same everywhere.
WORKERS = 8

Tell = Callable[[str], object]


def place_exactly(
    program: Program, given: Mapping[int, int] | None = None, limit: float = LIMIT, tell: Tell = lambda _: None
) -> Placement:
    """place(), then a search for less. In the result, `bound` is what no placement can be below: it equals `peak` where
    the placement is optimal, and is less where `limit` seconds did not do. tell: takes a line of progress each second.

    Raises GradmoteError where OR-Tools is not installed.
    """
    first = place(program, given)
    if first.peak == first.bound:
        return first
    puzzle = Rectangles(solver_package(), first, given or {})
    with Progress(program.kind, first, limit, tell) as progress:
        return puzzle.solve(limit, progress)


def solver_package() -> Any:
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise GradmoteError("an exact plan needs OR-Tools", "pip install 'gradmote[exact]'") from error
    return cp_model


@dataclass
class Progress:
    """Tells once a second how far the search is, after QUIET seconds."""

    kind: str
    best: Placement
    limit: float
    tell: Tell

    def __enter__(self) -> Progress:
        self.start, self.done = time.monotonic(), threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.thread.join()

    def run(self) -> None:
        pause = QUIET
        while not self.done.wait(pause):
            seconds, pause = time.monotonic() - self.start, 1.0
            self.tell(
                f"planning {self.kind}: {seconds:.0f} s of at most {self.limit:.0f} s, {self.best.peak:,} B so far, "
                f"at least {self.best.bound:,} B"
            )

    def improve(self, peak: int | None = None, bound: int | None = None) -> None:
        self.best = replace(self.best, peak=peak or self.best.peak, bound=max(bound or 0, self.best.bound))


class Rectangles:
    """The constraint model. Its unit is the word: all sizes and offsets are multiples of four bytes."""

    def __init__(self, cp: Any, first: Placement, given: Mapping[int, int]) -> None:
        self.cp, self.first, self.model = cp, first, cp.CpModel()
        self.spans = [s for s in first.spans if aligned(s.buffer.size)]
        top = first.peak // 4
        self.peak = self.model.new_int_var(first.bound // 4, top, "peak")
        self.offsets = []
        times, places, sizes = [], [], []
        for index, span in enumerate(self.spans):
            size, key = aligned(span.buffer.size) // 4, id(span.buffer)
            offset = self.model.new_int_var(0, top - size, f"offset{index}")
            self.model.add(self.peak >= offset + size)
            self.model.add_hint(offset, first.offsets[key] // 4)
            if key in given:
                self.model.add(offset == given[key] // 4)
            self.offsets.append(offset)
            sizes.append(size)
            times.append(self.model.new_fixed_size_interval_var(span.start, span.end - span.start, f"time{index}"))
            places.append(self.model.new_fixed_size_interval_var(offset, size, f"place{index}"))
        self.model.add_no_overlap_2d(times, places)
        self.model.add_cumulative(times, sizes, self.peak)  # follows from the rest, and prunes
        self.model.minimize(self.peak)

    def solve(self, limit: float, progress: Progress) -> Placement:
        solver = self.cp.CpSolver()
        solver.parameters.max_time_in_seconds = limit
        solver.parameters.num_workers = WORKERS
        solver.parameters.interleave_search = True
        solver.best_bound_callback = lambda bound: progress.improve(bound=4 * int(bound))
        status = solver.solve(self.model, self.callback(progress))
        bound = max(self.first.bound, 4 * round(solver.best_objective_bound))
        if status not in (self.cp.OPTIMAL, self.cp.FEASIBLE):
            return replace(self.first, bound=bound)
        return self.placement(solver, bound)

    def callback(self, progress: Progress) -> cp_model.CpSolverSolutionCallback:
        least = self.first.bound

        class Tells(self.cp.CpSolverSolutionCallback):  # type: ignore[name-defined]
            def on_solution_callback(self) -> None:
                peak = 4 * round(self.objective_value)
                progress.improve(peak=peak)
                if peak == least:
                    self.stop_search()

        return Tells()

    def placement(self, solver: cp_model.CpSolver, bound: int) -> Placement:
        found = zip(self.spans, self.offsets, strict=True)
        offsets = {id(s.buffer): 0 for s in self.first.spans} | {id(s.buffer): 4 * solver.value(o) for s, o in found}
        return replace(self.first, offsets=offsets, peak=4 * solver.value(self.peak), bound=bound)
