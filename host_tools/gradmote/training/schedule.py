"""Learning-rate schedules: warm-up, then linear decay."""

from __future__ import annotations

from ..errors import DataError
from .module_optimizer import Optimizer


class LinearLRScheduler:
    """A schedule of linear warm-up and linear decay.

    The rate after n updates is initial_lr n / warmup below warmup, then
    initial_lr (total - n) / (total - warmup), then 0.

    The constructor sets the rate for the number of updates that the state has seen so far: 0 with a
    warm-up, initial_lr without. Call step() after each Optimizer.step(). warmup_step_count and
    total_step_count mean what their names say; onnxruntime 1.19 swaps them, and so does
    OnnxruntimeLinearLRScheduler. Raises DataError unless 0 <= warmup_step_count <=
    total_step_count and total_step_count > 0.
    """

    def __init__(self, optimizer: Optimizer, warmup_step_count: int, total_step_count: int, initial_lr: float) -> None:
        """Check the counts and set the optimizer's learning rate."""
        if not 0 <= warmup_step_count <= total_step_count or total_step_count == 0:
            raise DataError(
                f"{warmup_step_count} warm-up steps of {total_step_count} steps",
                "the warm-up is a part of the total, which is at least 1",
            )
        self._optimizer = optimizer
        self._warmup, self._total, self._initial = warmup_step_count, total_step_count, initial_lr
        self.step()

    def step(self) -> None:
        """Set the optimizer's learning rate for the next update."""
        self._optimizer.set_learning_rate(self._initial * self._factor(self._optimizer._twin.optimizer_steps))

    def _factor(self, steps: int) -> float:
        if steps < self._warmup:
            return steps / self._warmup
        if steps >= self._total:
            return 0.0
        return (self._total - steps) / (self._total - self._warmup)


class OnnxruntimeLinearLRScheduler(LinearLRScheduler):
    """The rates that onnxruntime 1.19's LinearLRScheduler sets for the same arguments.

    It takes warmup_step_count for the total and total_step_count for the warm-up: the rate rises for
    total_step_count updates, and then drops to 0. As in onnxruntime, any two non-negative counts are
    valid.
    """

    def __init__(self, optimizer: Optimizer, warmup_step_count: int, total_step_count: int, initial_lr: float) -> None:
        """Check the counts, swap them, and set the optimizer's learning rate."""
        if warmup_step_count < 0 or total_step_count < 0:
            raise DataError(f"{warmup_step_count} and {total_step_count} steps", "counts are at least 0")
        self._optimizer = optimizer
        self._warmup, self._total, self._initial = total_step_count, warmup_step_count, initial_lr
        self.step()
