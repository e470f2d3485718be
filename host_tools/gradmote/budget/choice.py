"""The settings that the search can give up to make training smaller or faster, and the cost of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..artifacts.schemes import Scheme
from ..optimizers import Optimizer, sgd

#: Factor of the score by the optimizer's number of moments: with fewer, an update learns less.
RULES = {2: 1.0, 1: 0.95, 0: 0.9}
#: Factor if inputs must be sent for each run, if micro-batches run in turn, or if values are recomputed. It is
#: near 1, because no learning is lost.
INCONVENIENCE = 0.99


@dataclass(frozen=True)
class Choice:
    """One way to compile a model.

    micro_batch: samples at a time, out of `batch` in one update; if fewer, gradients are kept between
    them. recompute: recompute cheap activations if that lowers the peak. more: how much longer an update
    may take to recompute any values, as a fraction of its machine instructions.
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
        """Return the number of micro-batches in one update."""
        return self.batch // self.micro_batch

    @property
    def key(self) -> tuple[str, str, int, bool, bool, float]:
        """Return the values that distinguish this choice from others in the same search."""
        scheme, rule = str(self.scheme), self.optimizer.rule
        return scheme, rule, self.micro_batch, self.overwrite_inputs, self.recompute, self.more

    def given_up(self, wanted: Choice) -> list[str]:
        """Return in words how this choice differs from the wanted one."""
        words = []
        if self.scheme != wanted.scheme:
            words.append(f"trains {self.scheme} only")
        if self.optimizer.rule != wanted.optimizer.rule:
            words.append(f"{self.optimizer.rule} instead of {wanted.optimizer.rule}: choose its learning rate")
        if self.micro_batch != wanted.micro_batch:
            words.append(f"{self.micro_batches} micro-batches of {self.micro_batch}: one after another, gradients kept")
        if self.overwrite_inputs != wanted.overwrite_inputs:
            words.append("inputs must be sent for each run")
        if self.more != wanted.more:
            words.append(f"values are computed again, for up to {self.more:.0%} more machine instructions in an update")
        return words


def discount(choice: Choice, wanted: Choice) -> float:
    """Return the factor, at most 1, by which the given-up settings lower a score."""
    factor = RULES[choice.optimizer.slots] / RULES[wanted.optimizer.slots]
    is_alone = choice.overwrite_inputs and not wanted.overwrite_inputs
    for given_up in (is_alone, choice.micro_batch < wanted.micro_batch, choice.more > wanted.more):
        factor *= INCONVENIENCE if given_up else 1.0
    return factor


def variants(wanted: Choice, limited_time: bool, more: float = 0.0) -> list[Choice]:
    """Return the wanted choice and all cheaper ones with its scheme, in descending order of discount().

    limited_time: also try each without recomputation, which saves time. more: also try each with that much more time.
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

    Clipping, weight decay and the rates and decays of groups are unchanged.
    """
    yield optimizer
    decay = optimizer.hyper.get("weight_decay", 0.0)
    for momentum in (0.9, 0.0)[2 - optimizer.slots :]:
        clip_norm, clip_value = optimizer.clip_norm, optimizer.clip_value
        made = sgd(optimizer.learning_rate, momentum, weight_decay=decay, clip_norm=clip_norm, clip_value=clip_value)
        kept = ("learning_rate", "weight_decay")
        groups = {name: {k: own[k] for k in kept if k in own} for name, own in optimizer.groups.items()}
        yield made.with_groups(groups)


def micro_batches(wanted: Choice) -> list[int]:
    """Return the sizes to try: the whole batch, halves, quarters, ..., single samples."""
    sizes = [wanted.micro_batch]
    while sizes[-1] % 2 == 0:
        sizes.append(sizes[-1] // 2)
    return sizes if sizes[-1] == 1 else [*sizes, 1]
