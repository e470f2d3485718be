"""Finds the scheme, the batch and the rule that are worth most within the limits.

Within a family of schemes (chains.py) memory and time grow with the scheme, so that bisection finds the largest one
that fits. Variants (choice.py) come in the order of what they cost; one that cannot beat the best found is not tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..artifacts.schemes import parts_of
from ..compiler.compile import Result
from ..errors import BudgetError, ModelError
from .chains import Chain, chains, worthwhile
from .choice import Choice, discount, variants
from .limits import Limits
from .pace import update_instructions
from .task import Task
from .worth import Worth, by_depth, members


@dataclass(frozen=True)
class Tried:
    """A choice that was compiled. ram: bytes of arena; flash: bytes of image; ms: of one update. worth: 0 .. 1."""

    choice: Choice
    worth: float
    ram: int
    flash: int
    ms: float | None  # None where it is not known
    trained: int  # numbers
    excess: tuple[str, ...]  # what is too much, in words

    @property
    def fits(self) -> bool:
        return not self.excess

    @property
    def rank(self) -> tuple[float, int, int]:
        """What is worth more comes first, then what is smaller."""
        return self.worth, -self.ram, -self.flash

    def beats(self, other: Tried) -> bool:
        """No worse in anything, and better in something."""
        mine, others = ((-t.worth, t.ram, t.flash, t.ms or 0.0) for t in (self, other))
        return mine != others and all(a <= b for a, b in zip(mine, others, strict=True))


@dataclass(frozen=True)
class Found:
    """The best choice within the limits, its image, and everything that was tried on the way."""

    best: Tried
    result: Result
    wanted: Choice
    tried: Sequence[Tried]
    source: str  # where worth comes from

    def frontier(self) -> list[Tried]:
        """Of what was tried, that which nothing beats, by worth."""
        kept = [t for t in self.tried if not any(other.beats(t) for other in self.tried)]
        return sorted(kept, key=lambda t: -t.worth)

    def given_up(self) -> list[str]:
        return self.best.choice.given_up(self.wanted)


def covers(shares: Mapping[str, float], others: Mapping[str, float]) -> bool:
    """Whether everything that `others` trains is trained by `shares` too."""
    return all(shares.get(name, 0.0) >= share for name, share in others.items())


def search(
    task: Task,
    limits: Limits,
    worth: Worth | None = None,
    schemes: Sequence[Chain] | None = None,
    on_try: Callable[[Choice], None] = lambda choice: None,
) -> Found:
    """Raises BudgetError where nothing fits, with the smallest that was found. worth: by_depth() by default. schemes:
    families to search; chains() by default. on_try: called before each compilation."""
    return Search(task, limits, worth or by_depth(task.layers()), on_try).run(schemes)


class Search:
    """What is known so far."""

    def __init__(self, task: Task, limits: Limits, worth: Worth, on_try: Callable[[Choice], None]) -> None:
        self.task, self.limits, self.worth, self.on_try = task, limits, worth, on_try
        self.wanted = task.wanted()
        self.tried: dict[tuple[object, ...], Tried] = {}
        self.best: tuple[Tried, Result] | None = None
        self.inputs_size = 0  # bytes; known after the first compilation

    def run(self, schemes: Sequence[Chain] | None) -> Found:
        families = schemes if schemes is not None else [worthwhile(self.worth), *chains(self.worth.layers)]
        for variant in variants(self.wanted, self.limits.ms is not None):
            for family in families:
                self.bisect(variant, family)
        if self.best is None:
            raise self.nothing_fits()
        self.fill()
        return Found(*self.best, self.wanted, list(self.tried.values()), self.worth.source)

    def bisect(self, variant: Choice, family: Chain) -> None:
        """Tries the schemes of a family that would beat the best so far."""
        low, high = self.first_better(variant, family), len(family)
        while low < high:
            middle = low if high == len(family) and self.best is None else (low + high) // 2
            if self.attempt(replace(variant, scheme=family[middle])):
                low = middle + 1
            else:
                high = middle

    def fill(self) -> None:
        """Adds single parts to the best, that which is worth most first: what fits beside a whole family's scheme."""
        assert self.best is not None
        for part in sorted(self.worth.values, key=lambda p: -self.worth.values[p]):
            best, names = self.best[0].choice, members(self.worth.layers[part[0]], part[1])
            shares = parts_of(self.worth.layers, best.scheme)
            if self.worth.values[part] > 0 and any(shares.get(name, 0.0) < 1 for name in names):
                self.attempt(replace(best, scheme=best.scheme.plus(names)))

    def first_better(self, variant: Choice, family: Chain) -> int:
        """Index of the first scheme that would be worth more than the best so far."""
        least = self.best[0].worth if self.best else -1.0
        worths = (self.score(replace(variant, scheme=scheme)) for scheme in family)
        return next((index for index, worth in enumerate(worths) if worth > least), len(family))

    def score(self, choice: Choice) -> float:
        return self.worth.of(choice.scheme) * discount(choice, self.wanted)

    def attempt(self, choice: Choice) -> bool:
        """Compiles a choice where that could help; says whether it fits. What the model does not allow does not fit."""
        if choice.key in self.tried:
            return self.tried[choice.key].fits
        if self.is_hopeless(choice):
            return False
        self.on_try(choice)
        try:
            result = self.task.compiled(choice)
        except ModelError:
            return False
        self.inputs_size = max(self.inputs_size, result.layout.inputs_size)
        tried = self.tried[choice.key] = self.measured(choice, result)
        if tried.fits and (self.best is None or tried.rank > self.best[0].rank):
            self.best = tried, result
        return tried.fits

    def is_hopeless(self, choice: Choice) -> bool:
        """Whether something that trains no more, with the same settings, was too large; or the same with inputs that
        last, by more than all inputs."""
        shares = parts_of(self.worth.layers, choice.scheme)
        return any(self.rules_out(tried, choice, shares) for tried in self.tried.values())

    def rules_out(self, tried: Tried, choice: Choice, shares: Mapping[str, float]) -> bool:
        """shares: what the choice trains."""
        saved = self.inputs_size if choice.overwrite_inputs and not tried.choice.overwrite_inputs else 0
        alike = replace(tried.choice, scheme=choice.scheme, overwrite_inputs=choice.overwrite_inputs) == choice
        too_large = alike and self.limits.excess(tried.ram - saved, tried.flash, tried.ms)
        return bool(too_large) and covers(shares, parts_of(self.worth.layers, tried.choice.scheme))

    def measured(self, choice: Choice, result: Result) -> Tried:
        ram, flash = result.layout.arena_size, len(result.image)
        machine = update_instructions(result, choice)
        ms = None if machine is None else 1e3 * machine / self.limits.clock
        trained = sum(p.buffer.size for p in result.compiled.parameters) // 4
        return Tried(choice, self.score(choice), ram, flash, ms, trained, tuple(self.limits.excess(ram, flash, ms)))

    def nothing_fits(self) -> BudgetError:
        if not self.tried:
            return BudgetError("no scheme of this model can be compiled", "compile it without a budget to see why")
        least = min(self.tried.values(), key=lambda t: (t.ram, t.flash, t.ms or 0.0))
        return BudgetError(
            f"nothing fits: training {least.choice.scheme} still takes {'; '.join(least.excess)}",
            "give more, or a smaller model: fewer channels, a smaller input, --batch-norm fold",
        )
