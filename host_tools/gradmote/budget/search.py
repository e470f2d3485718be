"""The search for the scheme, the batch and the rule with the highest score within the limits.

The wanted scheme bounds the search: no choice trains anything outside of it. Within a family of schemes
(chains.py) memory and time grow with the scheme, so that bisection finds the largest one that fits.
Variants (choice.py) are tried in descending order of their discount; one that cannot beat the best found
is skipped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..artifacts.schemes import parts_of
from ..compiler.compile import Result
from ..errors import BudgetError, ModelError
from ..formats.image import read_image
from ..report.analyze.cost import machine_instructions
from .chains import Chain, chains, contributing, within
from .choice import Choice, discount, variants
from .resource_limits import Limits
from .scores import Contributions, by_depth, members
from .task import Task


@dataclass(frozen=True)
class Tried:
    """A compiled choice.

    score: 0 .. 1. ram: bytes of arena, including `state` bytes of state. flash: bytes of image. ms: milliseconds of
    one update. trained: how many numbers are trained. excess: the exceeded limits, in words.
    """

    choice: Choice
    score: float
    ram: int
    state: int
    flash: int
    ms: float | None  # None if it is unknown
    trained: int  # numbers
    excess: tuple[str, ...]  # the exceeded limits, in words

    @property
    def fits(self) -> bool:
        """Return whether the choice is within all limits."""
        return not self.excess

    @property
    def rank(self) -> tuple[float, int, int]:
        """Return a sort key that is higher for a better choice: score first, then size."""
        return self.score, -self.ram, -self.flash

    def beats(self, other: Tried) -> bool:
        """Return whether this choice is at least as good in every respect, and better in one."""
        mine, others = ((-t.score, t.ram, t.flash, t.ms or 0.0) for t in (self, other))
        return mine != others and all(a <= b for a, b in zip(mine, others, strict=True))


@dataclass(frozen=True)
class Found:
    """The best choice within the limits, its image, and every compiled choice."""

    best: Tried
    result: Result
    wanted: Choice
    tried: Sequence[Tried]
    source: str  # how the contributions were determined, in words

    def frontier(self) -> list[Tried]:
        """Return the choices that no other one beats, in descending order of score."""
        kept = [t for t in self.tried if not any(other.beats(t) for other in self.tried)]
        return sorted(kept, key=lambda t: -t.score)

    def given_up(self) -> list[str]:
        """Return in words how the best choice differs from the wanted one."""
        return self.best.choice.given_up(self.wanted)


def covers(shares: Mapping[str, float], others: Mapping[str, float]) -> bool:
    """Return whether `shares` trains everything that `others` trains."""
    return all(shares.get(name, 0.0) >= share for name, share in others.items())


def is_alike(choice: Choice, other: Choice) -> bool:
    """Return whether two choices differ only in scheme, rule, and placement of inputs."""
    scheme, optimizer, overwrite = other.scheme, other.optimizer, other.overwrite_inputs
    return replace(choice, scheme=scheme, optimizer=optimizer, overwrite_inputs=overwrite) == other


def search(
    task: Task,
    limits: Limits,
    contributions: Contributions | None = None,
    schemes: Sequence[Chain] | None = None,
    on_try: Callable[[Choice], None] = lambda choice: None,
) -> Found:
    """Return the choice with the highest score within the limits.

    contributions: by_depth() by default. schemes: families to search; by default those of chains(),
    within the task's own scheme. on_try: called before each compilation. Raises BudgetError, with the
    smallest choice found, if nothing fits.
    """
    return Search(task, limits, contributions or by_depth(task.layers()), on_try).run(schemes)


class Search:
    """A search in progress: the choices compiled so far, and the best of them."""

    def __init__(
        self, task: Task, limits: Limits, contributions: Contributions, on_try: Callable[[Choice], None]
    ) -> None:
        """Begin a search without any compiled choice."""
        self.task, self.limits, self.contributions, self.on_try = task, limits, contributions, on_try
        self.wanted = task.wanted()
        self.tried: dict[tuple[object, ...], Tried] = {}
        self.best: tuple[Tried, Result] | None = None
        self.inputs_size = 0  # bytes; known after the first compilation

    def run(self, schemes: Sequence[Chain] | None) -> Found:
        """Try all variants of all families, and return the best choice.

        Raises BudgetError if nothing fits.
        """
        families = schemes
        if families is None:
            layers = self.contributions.layers
            found = [contributing(self.contributions), *chains(layers)]
            families = [within(family, self.wanted.scheme, layers) for family in found]
        for variant in variants(self.wanted, self.limits.ms is not None, self.limits.more):
            for family in families:
                self.bisect(variant, family)
        if self.best is None:
            raise self.nothing_fits()
        self.fill()
        return Found(*self.best, self.wanted, list(self.tried.values()), self.contributions.source)

    def bisect(self, variant: Choice, family: Chain) -> None:
        """Try the schemes of a family that would beat the best so far."""
        low, high = self.first_better(variant, family), len(family)
        while low < high:
            middle = low if high == len(family) and self.best is None else (low + high) // 2
            if self.attempt(replace(variant, scheme=family[middle])):
                low = middle + 1
            else:
                high = middle

    def fill(self) -> None:
        """Add single parts to the best scheme, in descending order of contribution.

        Such a part may fit even if the next scheme of a family does not.
        """
        assert self.best is not None
        allowed = parts_of(self.contributions.layers, self.wanted.scheme)
        for part in sorted(self.contributions.values, key=lambda p: -self.contributions.values[p]):
            best = self.best[0].choice
            names = [n for n in members(self.contributions.layers[part[0]], part[1]) if allowed.get(n, 0.0) >= 1]
            shares = parts_of(self.contributions.layers, best.scheme)
            if self.contributions.values[part] > 0 and any(shares.get(name, 0.0) < 1 for name in names):
                self.attempt(replace(best, scheme=best.scheme.plus(names)))

    def first_better(self, variant: Choice, family: Chain) -> int:
        """Return the index of the first scheme with a higher score than the best so far."""
        least = self.best[0].score if self.best else -1.0
        scores = (self.score(replace(variant, scheme=scheme)) for scheme in family)
        return next((index for index, score in enumerate(scores) if score > least), len(family))

    def score(self, choice: Choice) -> float:
        """Return the score of a choice, discounted for the settings that it gives up."""
        return self.contributions.score(choice.scheme) * discount(choice, self.wanted)

    def attempt(self, choice: Choice) -> bool:
        """Compile a choice unless it cannot fit, and return whether it fits.

        A choice that the model does not allow does not fit.
        """
        if choice.key in self.tried:
            return self.tried[choice.key].fits
        if self.is_hopeless(choice):
            return False
        self.on_try(choice)
        try:
            result = self.task.compiled(choice, self.limits.ram)
        except ModelError:
            return False
        self.inputs_size = max(self.inputs_size, result.layout.inputs_size)
        tried = self.tried[choice.key] = self.measured(choice, result)
        if tried.fits and (self.best is None or tried.rank > self.best[0].rank):
            self.best = tried, result
        return tried.fits

    def is_hopeless(self, choice: Choice) -> bool:
        """Return whether a choice is known to be too large without compiling it.

        That is the case if one that trains at most as much was too large with the same settings, or was too large by
        more than all inputs and differs only in that it keeps its inputs. Once something fits, a choice whose least
        arena exceeds the RAM is hopeless, too; before that, the search looks for the smallest excess.
        """
        shares = parts_of(self.contributions.layers, choice.scheme)
        if any(self.rules_out(tried, choice, shares) for tried in self.tried.values()):
            return True
        if self.best is None or self.limits.ram is None:
            return False
        return self.least_arena(choice, shares) > self.limits.ram

    def rules_out(self, tried: Tried, choice: Choice, shares: Mapping[str, float]) -> bool:
        """Return whether a tried choice shows that another one is too large.

        shares: the shares that the other choice trains.
        """
        alike = replace(tried.choice, scheme=choice.scheme, overwrite_inputs=choice.overwrite_inputs) == choice
        ram = tried.ram - self.inputs_saved(tried, choice)
        too_large = alike and self.limits.excess(ram, tried.flash, tried.ms)
        return bool(too_large) and covers(shares, parts_of(self.contributions.layers, tried.choice.scheme))

    def least_arena(self, choice: Choice, shares: Mapping[str, float]) -> int:
        """Return the least arena of a choice in bytes: its state, plus what smaller choices needed besides theirs.

        A choice that trains at most as much needs at most as many gradients and as much scratch, with any rule.
        shares: the shares that this choice trains.
        """
        beside = (
            tried.ram - tried.state - self.inputs_saved(tried, choice)
            for tried in self.tried.values()
            if is_alike(tried.choice, choice)
            and covers(shares, parts_of(self.contributions.layers, tried.choice.scheme))
        )
        return self.task.least_state(choice, shares) + max(beside, default=0)

    def inputs_saved(self, tried: Tried, choice: Choice) -> int:
        """Return the most bytes of inputs that a choice saves over another one, which keeps them."""
        return self.inputs_size if choice.overwrite_inputs and not tried.choice.overwrite_inputs else 0

    def measured(self, choice: Choice, result: Result) -> Tried:
        """Return the sizes, the time and the score of a compiled choice."""
        ram, flash = result.layout.arena_size, len(result.image)
        machine = update_instructions(result, choice)
        ms = None if machine is None else 1e3 * machine / self.limits.clock
        trained = sum(math.prod(p.shape) for p in result.compiled.parameters)
        excess = tuple(self.limits.excess(ram, flash, ms))
        return Tried(choice, self.score(choice), ram, result.layout.state_size, flash, ms, trained, excess)

    def nothing_fits(self) -> BudgetError:
        """Return the error that nothing fits, with the limits that the smallest choice exceeds."""
        if not self.tried:
            return BudgetError("no scheme of this model can be compiled", "compile it without a budget to see why")
        least = min(self.tried.values(), key=lambda t: (t.ram, t.flash, t.ms or 0.0))
        return BudgetError(
            f"nothing fits: training {least.choice.scheme} still takes {'; '.join(least.excess)}",
            "give more, take a smaller model (fewer channels, --batch-norm fold), or give time (--recompute +30%)",
        )


def update_instructions(result: Result, choice: Choice) -> float | None:
    """Return the estimated machine instructions of one update on a Cortex-M4F.

    Includes all its micro-batches. None means that the image has an instruction that was never
    measured.
    """
    image = read_image(result.image)
    times = {"step": 1, "train": choice.micro_batches, "optimizer": 1}
    costs = [
        (times[program["kind"]], machine_instructions(instruction, image.constants))
        for program in image.programs
        if program["kind"] in times
        for instruction in program["instructions"]
    ]
    known = [count * cost for count, cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


# ---- The search as a dictionary for JSON -----------------------------------------------------------------------------


def as_dict(found: Found) -> dict[str, Any]:
    """Return the search, ready for json.dumps."""
    return {
        "worth": found.source,
        "given_up": found.given_up(),
        "tried": [tried_as_dict(t, found.best) for t in found.frontier()],
    }


def tried_as_dict(tried: Tried, best: Tried) -> dict[str, Any]:
    """Return one choice of a search; `taken` marks the best."""
    choice = tried.choice
    return {
        "scheme": str(choice.scheme),
        "taken": choice == best.choice,
        "rule": choice.optimizer.rule,
        "micro_batch": choice.micro_batch,
        "micro_batches": choice.micro_batches,
        "overwrites_inputs": choice.overwrite_inputs,
        "recompute": choice.recompute,
        "more_time": choice.more,
        "trained_numbers": tried.trained,
        "arena_bytes": tried.ram,
        "image_bytes": tried.flash,
        "ms": tried.ms,
        "worth": tried.score,
        "excess": list(tried.excess),
    }
