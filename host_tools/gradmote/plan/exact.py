"""The exact planner, which finds the smallest placement by constraint programming.

Each buffer is a rectangle: its time is fixed, its offset is free, and no two may overlap. The
solver (OR-Tools CP-SAT) minimizes the end of the highest buffer. If the time limit ends the search,
it returns the best placement so far with the proven bound.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import GradmoteError
from ..ir.instruction import Buffer
from ..ir.program import Overlay, Program
from .arena import Placement, place
from .lifetimes import aligned

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

#: The search takes at most LIMIT seconds per program, and reports progress after QUIET seconds.
LIMIT = 60.0
QUIET = 2.0
#: The number of workers is fixed, so that a finished search has the same result on every machine.
WORKERS = 8

Tell = Callable[[str], object]


def place_exactly(
    program: Program, given: Mapping[Buffer, int] | None = None, limit: float = LIMIT, tell: Tell = lambda _: None
) -> Placement:
    """Return the smallest placement found within `limit` seconds, starting from place().

    No placement can be below `bound`: it equals `peak` if the placement is optimal, and is less if time
    ran out. `tell` receives a line of progress each second.

    Raises GradmoteError if OR-Tools is not installed.
    """
    first = place(program, given)
    if first.peak == first.bound:
        return first
    puzzle = Rectangles(solver_package(), first, given or {}, program.overlays)
    with Progress(program.kind, first, limit, tell) as progress:
        return puzzle.solve(limit, progress)


def solver_package() -> Any:
    """Return the module cp_model of OR-Tools; raise GradmoteError if it is not installed."""
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise GradmoteError("an exact plan needs OR-Tools", "pip install ortools") from error
    return cp_model


@dataclass
class Progress:
    """A context manager that reports the state of the search each second, after QUIET seconds."""

    kind: str
    best: Placement
    limit: float
    tell: Tell

    def __enter__(self) -> Progress:
        """Start the reporting thread."""
        self.start, self.done = time.monotonic(), threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the reporting thread and wait for its end."""
        self.done.set()
        self.thread.join()

    def run(self) -> None:
        """Send a line of progress each second until the search is done."""
        pause = QUIET
        while not self.done.wait(pause):
            seconds, pause = time.monotonic() - self.start, 1.0
            self.tell(
                f"planning {self.kind}: {seconds:.0f} s of at most {self.limit:.0f} s, {self.best.peak:,} B so far, "
                f"at least {self.best.bound:,} B"
            )

    def improve(self, peak: int | None = None, bound: int | None = None) -> None:
        """Record a lower peak or a higher bound, in bytes."""
        self.best = replace(self.best, peak=peak or self.best.peak, bound=max(bound or 0, self.best.bound))


class Rectangles:
    """The constraint model of a placement.

    Its unit is the word, because all sizes and offsets are multiples of four bytes. A buffer that may overlay
    another one is a rectangle only from that one's end on; before, it has a constraint with each buffer.
    """

    def __init__(
        self, cp: Any, first: Placement, given: Mapping[Buffer, int], overlays: Mapping[Buffer, Overlay]
    ) -> None:
        """Build the variables and constraints, with the placement `first` as the solver's hint."""
        self.cp, self.first, self.model = cp, first, cp.CpModel()
        self.spans = [s for s in first.spans if aligned(s.buffer.size)]
        top = first.peak // 4
        self.peak = self.model.new_int_var(first.bound // 4, top, "peak")
        self.offsets = []
        times, extents, sizes = [], [], []
        ends = {s.buffer: s.end for s in self.spans}
        for index, span in enumerate(self.spans):
            size = aligned(span.buffer.size) // 4
            offset = self.model.new_int_var(0, top - size, f"offset{index}")
            self.model.add(self.peak >= offset + size)
            self.model.add_hint(offset, first.offsets[span.buffer] // 4)
            if span.buffer in given:
                self.model.add(offset == given[span.buffer] // 4)
            self.offsets.append(offset)
            sizes.append(size)
            start = ends[overlays[span.buffer].under] if span.buffer in overlays else span.start
            times.append(self.model.new_fixed_size_interval_var(start, max(0, span.end - start), f"time{index}"))
            extents.append(self.model.new_fixed_size_interval_var(offset, size, f"place{index}"))
        self.model.add_no_overlap_2d(times, extents)
        self.model.add_cumulative(times, sizes, self.peak)  # redundant, but prunes the search
        for upper, overlay in overlays.items():
            self.keep_apart(upper, overlay)
        self.model.minimize(self.peak)

    def keep_apart(self, upper: Buffer, overlay: Overlay) -> None:
        """Keep a buffer before or after each other one that is needed with it; it may overlay one of them."""
        index = next(k for k, s in enumerate(self.spans) if s.buffer is upper)
        mine, until = self.offsets[index], next(s.end for s in self.spans if s.buffer is overlay.under)
        size = aligned(upper.size) // 4
        for k, span in enumerate(self.spans):
            if k == index or not (span.start < until and self.spans[index].start < span.end):
                continue
            before = self.model.new_bool_var(f"before{index}_{k}")
            reach = -overlay.furthest // 4 if span.buffer is overlay.under else size
            self.model.add(mine + reach <= self.offsets[k]).only_enforce_if(before)
            self.model.add(mine >= self.offsets[k] + aligned(span.buffer.size) // 4).only_enforce_if(before.negated())

    def solve(self, limit: float, progress: Progress) -> Placement:
        """Return the best placement that the solver finds within `limit` seconds."""
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
        """Return a callback that reports each solution and stops the search at the lower bound."""
        least = self.first.bound

        class Tells(self.cp.CpSolverSolutionCallback):  # type: ignore[name-defined]
            def on_solution_callback(self) -> None:
                peak = 4 * round(self.objective_value)
                progress.improve(peak=peak)
                if peak == least:
                    self.stop_search()

        return Tells()

    def placement(self, solver: cp_model.CpSolver, bound: int) -> Placement:
        """Return the solver's solution as a placement in bytes."""
        found = zip(self.spans, self.offsets, strict=True)
        offsets = {s.buffer: 0 for s in self.first.spans} | {s.buffer: 4 * solver.value(o) for s, o in found}
        return replace(self.first, offsets=offsets, peak=4 * solver.value(self.peak), bound=bound)
