"""LinearLRScheduler: warm-up, then linear decay."""

from __future__ import annotations

from ..errors import DataError
from .optimizer import Optimizer


class LinearLRScheduler:
    """Rate after n updates: initial_lr n / warmup below warmup, then initial_lr (total - n) / (total - warmup), then 0.

    Call step() after each Optimizer.step(). Until the first call the rate is initial_lr, as in onnxruntime; but
    onnxruntime 1.19 takes warmup_step_count for the total and total_step_count for the warm-up, and this takes them
    as named. Raises DataError unless 0 <= warmup_step_count <= total_step_count and total_step_count > 0.
    """

    def __init__(self, optimizer: Optimizer, warmup_step_count: int, total_step_count: int, initial_lr: float) -> None:
        if not 0 <= warmup_step_count <= total_step_count or total_step_count == 0:
            raise DataError(f"{warmup_step_count} warm-up steps of {total_step_count} steps",
                            "the warm-up is a part of the total, which is at least 1")
        self._optimizer = optimizer
        self._warmup, self._total, self._initial = warmup_step_count, total_step_count, initial_lr
        optimizer.set_learning_rate(initial_lr)

    def step(self) -> None:
        """Sets the optimizer's learning rate for the next update."""
        self._optimizer.set_learning_rate(self._initial * self._factor(self._optimizer._twin.optimizer_steps))

    def _factor(self, steps: int) -> float:
        if steps < self._warmup:
            return steps / self._warmup
        if steps >= self._total:
            return 0.0
        return (self._total - steps) / (self._total - self._warmup)
