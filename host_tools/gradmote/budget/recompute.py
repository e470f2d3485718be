"""The choice between memory and time: which forward values a training step keeps, and which it recomputes.

A wish limits the arena, or how much longer an update may take. The search tries several ways to compile the
model, and finds a front of plans for each (compiler/checkpointing). Machine instructions are those of
`gradmote analyze`: an estimate for a Cortex-M4F.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ..artifacts.artifacts import Artifacts
from ..compiler.checkpointing import Point, Problem, Search, problem_of, rewritten
from ..compiler.compile import Result, Tradeoff, compile_image
from ..compiler.options import Options
from ..errors import BudgetError, ModelError
from ..formats.image import read_image
from ..ir.instruction import Instruction
from ..ir.program import TRAINING, Program, Recomputation
from ..report.analyze.cost import machine_instructions
from .resource_limits import bytes_of

#: Progress is reported after QUIET seconds, and then every second.
QUIET = 2.0
_MORE = re.compile(r"\+(\d+(?:\.\d+)?)\s*%")

Tell = Callable[[str], object]


@dataclass(frozen=True)
class Wish:
    """Limits for an image: `arena` bytes, and `more` time, as a fraction of the time without the wish.

    None means no limit; one of the two is a number. With a limit on the arena, the search minimizes time; without
    one, it minimizes the arena.
    """

    arena: int | None = None
    more: float | None = None

    @staticmethod
    def parse(text: str) -> Wish:
        """Return the wish in a text such as `250KB` or `+30%`; raise ModelError for any other text."""
        found = _MORE.fullmatch(text.strip())
        if found is not None:
            return Wish(more=float(found[1]) / 100)
        try:
            return Wish(arena=bytes_of(text))
        except ModelError as error:
            hint = "write the size of the arena, such as 250KB, or how much longer a step may take, such as +30%"
            raise ModelError(f"'{text}' is neither a size nor a percentage of the time", hint) from error

    def is_met(self, arena: int, more: float) -> bool:
        """Return whether an image meets the wish, given its bytes of arena, and how much longer an update takes."""
        return (self.arena is None or arena <= self.arena) and self.has_time(more)

    def has_time(self, more: float) -> bool:
        """Return whether an update may take that much longer."""
        return self.more is None or more <= self.more


def compile_within(artifacts: Artifacts, options: Options, wish: Wish) -> Result:
    """Compile artifacts to the image that best meets a wish; its `front` has the alternatives.

    `options.tell` gets a line of progress if this takes more than two seconds. Raises ModelError if nothing trains,
    and BudgetError, with the smallest arena, if no plan meets the wish.
    """
    return Tradeoffs(artifacts, options, wish).best(wish)


def compile_towards(artifacts: Artifacts, options: Options, wish: Wish) -> Result:
    """Compile artifacts to the image that best meets a wish, or else to the smallest one within its time."""
    tradeoffs = Tradeoffs(artifacts, options, wish)
    return tradeoffs.found(wish) or tradeoffs.best(replace(wish, arena=None))


@dataclass
class Way:
    """One way to compile the programs that train: its problem, the points found, and its scratch's offset in the arena.

    `other` is the least arena in bytes that the image's other programs need. `extra` is the increase in machine
    instructions over the image without a wish, before any value is recomputed.
    """

    recomputation: Recomputation
    problem: Problem
    offset: int
    other: int
    extra: float
    points: list[Point]

    def arena(self, point: Point) -> int:
        """Return the bytes of arena with a plan, as far as the search knows."""
        return max(self.other, self.offset + point.peak)


class Tradeoffs:
    """The plans found for one model, as far down as a wish needs them; other wishes choose from them."""

    def __init__(self, artifacts: Artifacts, options: Options, wish: Wish) -> None:
        """Compile the model without the wish, and search each way to compile it."""
        self.artifacts, self.options = artifacts, options
        self.start = self.reported_at = time.monotonic()
        self.plain = compile_image(artifacts, replace(options, recompute=True))
        if not any(p.kind in TRAINING and p.instructions for p in self.plain.compiled.programs):
            raise ModelError(
                "--recompute without training: an image that only infers recomputes nothing", "leave it out"
            )
        self.base = step_instructions(self.plain)
        self.ways = list(self.different_ways())
        for way in self.ways:
            self.search(way, wish)

    def best(self, wish: Wish) -> Result:
        """Return the smallest or fastest image that meets the wish; raise BudgetError if there is none."""
        found = self.found(wish)
        if found is None:
            raise self.nothing_fits(wish)
        return found

    def found(self, wish: Wish) -> Result | None:
        """Return the smallest or fastest image that meets the wish; None if there is none."""
        found = next(self.fitting(wish), None)
        plain = self.tradeoff(self.plain)
        if wish.is_met(plain.arena, plain.more) and (
            found is None or self.rank(wish, plain) <= self.rank(wish, found[1])
        ):
            found = self.plain, plain
        return found and replace(found[0], front=self.front(found[1]))

    def fitting(self, wish: Wish) -> Iterator[tuple[Result, Tradeoff]]:
        """Yield the images that meet the wish, best first."""
        for way, point in self.candidates(wish):
            result = self.compiled(way, point)
            if wish.is_met((taken := self.tradeoff(result)).arena, taken.more):
                yield result, taken

    def rank(self, wish: Wish, tradeoff: Tradeoff) -> tuple[float, float]:
        """Return a sort key that is lower for an image that meets the wish better."""
        key = tradeoff.arena, tradeoff.more
        return key if wish.arena is None else key[::-1]

    # ---- Ways to compile

    def different_ways(self) -> Iterator[Way]:
        """Yield the ways that give different programs; with masks only if the image without a wish uses some."""
        masks = any(i.opcode.startswith("MASK") for p in trainers(self.plain) for i in p.instructions)
        seen: list[list[str]] = []
        for masked in (False, True)[: 1 + masks]:
            for fused in (True, False):
                way = self.way(fused, masked)
                opcodes = [i.opcode for i in way.problem.program.instructions]
                if opcodes not in seen:
                    seen.append(opcodes)
                    yield way

    def way(self, fused: bool, masked: bool) -> Way:
        """Return one way to compile the model, without any points."""
        problems: list[Problem] = []

        def keep(program: Program) -> list[Instruction]:
            instructions = list(program.instructions)  # later passes add to the program's own list
            problems.append(problem_of(replace(program, instructions=instructions), machine_instructions_of))
            return program.instructions

        result = compile_image(self.artifacts, self.with_rewrite(fused, masked, keep))
        layout = result.layout
        others = [layout.arena_of(p.kind) for p in result.compiled.programs if p.kind not in TRAINING]
        extra = step_instructions(result) / self.base - 1
        offset = layout.scratch_offset
        return Way(Recomputation(fused, masked, keep), problems[0], offset, max(others, default=offset), extra, [])

    def with_rewrite(self, fused: bool, masked: bool, rewrite: Callable[[Program], list[Instruction]]) -> Options:
        """Return the options with a Recomputation from these parts."""
        return replace(self.options, recompute=Recomputation(fused, masked, rewrite))

    def compiled(self, way: Way, point: Point) -> Result:
        """Return the image for a plan."""

        def rewrite(program: Program) -> list[Instruction]:
            return rewritten(problem_of(program, machine_instructions_of), point.plan, point.order)

        return compile_image(
            self.artifacts, self.with_rewrite(way.recomputation.fused, way.recomputation.masked, rewrite)
        )

    # ---- Points

    def search(self, way: Way, wish: Wish) -> None:
        """Find the points of a way, as far down as the wish needs them."""
        search = Search(way.problem)

        def is_late(point: Point) -> bool:
            return not wish.has_time(self.more(way, point))

        limit = None if wish.arena is None else wish.arena - way.offset
        for point in search.front(is_late) if limit is None else search.down_to(limit, is_late):
            way.points.append(point)
            self.tell(way, point)

    def more(self, way: Way, point: Point) -> float:
        """Return how much longer a step takes than without a wish, as a fraction of that time."""
        return way.extra + point.cost / self.base

    def candidates(self, wish: Wish) -> list[tuple[Way, Point]]:
        """Return the points that meet the wish as far as the search knows, best first."""
        every = [(way, point) for way in self.ways for point in way.points]
        fitting = [(w, p) for w, p in every if wish.is_met(w.arena(p), self.more(w, p))]
        if wish.arena is None:
            return sorted(fitting, key=lambda c: (c[0].arena(c[1]), self.more(*c)))
        return sorted(fitting, key=lambda c: (self.more(*c), c[0].arena(c[1])))

    def front(self, taken: Tradeoff) -> list[Tradeoff]:
        """Return the plans that no other plan beats in both size and speed, fastest first."""
        found = [(way.arena(point), self.more(way, point)) for way in self.ways for point in way.points]
        every = [Tradeoff(arena, (1 + more) * self.base, more) for arena, more in found if arena != taken.arena]
        kept: list[Tradeoff] = []
        for tradeoff in sorted([taken, *every], key=lambda t: (t.more, t.arena, not t.taken)):
            if tradeoff.taken or not kept or tradeoff.arena < min(t.arena for t in kept):
                kept.append(tradeoff)
        return kept

    def tradeoff(self, result: Result) -> Tradeoff:
        """Return the memory and time of a compiled image."""
        instructions = step_instructions(result)
        return Tradeoff(result.layout.arena_size, instructions, instructions / self.base - 1, taken=True)

    def nothing_fits(self, wish: Wish) -> BudgetError:
        """Return the error with the smallest arena found, and its time."""
        way, point = min(((w, p) for w in self.ways for p in w.points), key=lambda c: c[0].arena(c[1]))
        least = self.tradeoff(self.compiled(way, point))
        limits = [f"an arena of {wish.arena:,} B"] if wish.arena is not None else []
        asked = " and ".join(limits + ([f"{wish.more:+.1%} time"] if wish.more is not None else []))
        return BudgetError(
            f"no plan stays within {asked}: the smallest one found takes {least.arena:,} B of arena, with "
            f"{least.more:+.0%} machine instructions in a step",
            "give more, train less (--scheme; --ram SIZE chooses one), or take a smaller --batch",
        )

    def tell(self, way: Way, point: Point) -> None:
        """Report the progress, if a second has passed since the last report."""
        now = time.monotonic()
        if now - self.start > QUIET and now - self.reported_at > 1.0:
            self.reported_at = now
            reached = f"an arena of {way.arena(point):,} B for {self.more(way, point):+.0%} machine instructions"
            self.options.tell(f"recompute: {now - self.start:.0f} s, {reached} so far")


def trainers(result: Result) -> list[Program]:
    """Return the programs of an image that compute gradients."""
    return [p for p in result.compiled.programs if p.kind in TRAINING]


def step_instructions(result: Result) -> float:
    """Return the machine instructions of the program that computes gradients, except unmeasured ones."""
    image = read_image(result.image)
    programs = [p for p in image.programs if p["kind"] in TRAINING]
    costs = [machine_instructions(i, image.constants) for p in programs for i in p["instructions"]]
    return sum(cost for cost in costs if cost is not None)


def machine_instructions_of(instruction: Instruction) -> float | None:
    """Return the machine instructions of a program's instruction; None if its opcode was never measured.

    Updates, which are never recomputed, also count as None.
    """
    if "rule" in instruction.extents:
        return None
    operands = {name: "none" if ref is None else ref.buffer.region for name, ref in instruction.operands.items()}
    row = {"opcode": instruction.opcode, "params": instruction.params, "operands": operands, "times": 1}
    return machine_instructions(row, b"")
