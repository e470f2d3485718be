"""The settings that can be given up to make training smaller or faster, and what each costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..artifacts.schemes import Scheme
from ..optimizers import Optimizer, sgd

#: Factor of the score by the optimizer's number of moments: with fewer, an update learns less.
RULES = {2: 1.0, 1: 0.95, 0: 0.9}
#: Factor where inputs must be sent for each run, where micro-batches are run in turn, and where values are computed
#: again. It is near 1, because no learning is lost.
INCONVENIENCE = 0.99


@dataclass(frozen=True)
class Choice:
    """One way to compile a model.

    micro_batch: samples at a time, of `batch` in one update; fewer means that gradients are kept
    between them. recompute: cheap activations are computed twice where that lowers the peak. more: an
    update may take so much longer, as a part of its machine instructions, for whatever is worth computing twice.
    """

    scheme: Scheme
    optimizer: Optimizer
    batch: int
    micro_batch: int
    overwrite_inputs: bool = False
    recompute: bool = True
    more: float = 0.0

    @property
    def micro_batches(self) -> int:
        """Return the sizes to try: the whole batch, halves, quarters, ..., single samples."""
        return self.batch // self.micro_batch

    @property
    def key(self) -> tuple[str, str, int, bool, bool, float]:
        """Return the values that distinguish this choice from others of one search."""
        scheme, rule = str(self.scheme), self.optimizer.rule
        return scheme, rule, self.micro_batch, self.overwrite_inputs, self.recompute, self.more

    def given_up(self, wanted: Choice) -> list[str]:
        """Return how this choice differs from the one that was asked for, in words."""
        words = []
        if self.scheme != wanted.scheme:
            words.append(f"trains {self.scheme} only")
        if self.optimizer.rule != wanted.optimizer.rule:
            words.append(f"{self.optimizer.rule} in place of {wanted.optimizer.rule}: choose its learning rate")
        if self.micro_batch != wanted.micro_batch:
            words.append(f"{self.micro_batches} micro-batches of {self.micro_batch}: one after another, gradients kept")
        if self.overwrite_inputs != wanted.overwrite_inputs:
            words.append("inputs must be sent for each run")
        if self.more != wanted.more:
            words.append(f"values are computed again, for up to {self.more:.0%} more machine instructions in an update")
        return words


def discount(choice: Choice, wanted: Choice) -> float:
    """Return the factor, at most 1, by which the settings that are given up lower a score."""
    factor = RULES[choice.optimizer.slots] / RULES[wanted.optimizer.slots]
    is_alone = choice.overwrite_inputs and not wanted.overwrite_inputs
    for given_up in (is_alone, choice.micro_batch < wanted.micro_batch, choice.more > wanted.more):
        factor *= INCONVENIENCE if given_up else 1.0
    return factor


def variants(wanted: Choice, limited_time: bool, more: float = 0.0) -> list[Choice]:
    """Return the wanted choice and all cheaper ones with its scheme, the highest discount() first.

    limited_time: also try each without recomputation, which saves time. more: also try each with so much more time.
    """
    plain = [replace(wanted, recompute=recompute) for recompute in ((True, False) if limited_time else (True,))]
    longer = [replace(wanted, more=more)] if more > 0 else []
    found = [
        replace(choice, optimizer=optimizer, micro_batch=micro, overwrite_inputs=overwrite)
        for optimizer in cheaper(wanted.optimizer)
        for micro in micro_batches(wanted)
        for overwrite in dict.fromkeys((wanted.overwrite_inputs, True))
        for choice in (*plain, *longer)
    ]
    return sorted(found, key=lambda choice: -discount(choice, wanted))


def cheaper(optimizer: Optimizer) -> Iterator[Optimizer]:
    """Yield the optimizer itself, then SGD with fewer moments.

    Clipping and weight decay stay.
    """
    yield optimizer
    decay = optimizer.hyper.get("weight_decay", 0.0)
    for momentum in (0.9, 0.0)[2 - optimizer.slots :]:
        clip_norm, clip_value = optimizer.clip_norm, optimizer.clip_value
        yield sgd(optimizer.learning_rate, momentum, weight_decay=decay, clip_norm=clip_norm, clip_value=clip_value)


def micro_batches(wanted: Choice) -> list[int]:
    """All of the batch at once, halves, quarters, ..., one by one."""
    sizes = [wanted.micro_batch]
    while sizes[-1] % 2 == 0:
        sizes.append(sizes[-1] // 2)
    return sizes if sizes[-1] == 1 else [*sizes, 1]
