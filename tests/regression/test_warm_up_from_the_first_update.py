"""After LinearLRScheduler(optimizer, 2, 6, 0.2) the rate was 0.2 until the first step(): the first update ran at the
full rate, which is what a warm-up is there to avoid."""

from __future__ import annotations

import numpy as np
import pytest
from numeric.training.conftest import write

from gradmote.training import CheckpointState, LinearLRScheduler, Module, OnnxruntimeLinearLRScheduler, Optimizer

#: (warmup_step_count, total_step_count) -> rates of onnxruntime-training 1.19.2 with an initial rate of 1: after the
#: scheduler was made, then after each of eight updates.
ONNXRUNTIME = {
    (2, 6): [0, 0.1667, 0.3333, 0.5, 0.6667, 0.8333, 0, 0, 0],
    (6, 2): [0, 0.5, 1, 0.75, 0.5, 0.25, 0, 0, 0],
    (4, 4): [0, 0.25, 0.5, 0.75, 0, 0, 0, 0, 0],
    (0, 5): [0, 0.2, 0.4, 0.6, 0.8, 0, 0, 0, 0],
    (5, 0): [1, 0.8, 0.6, 0.4, 0.2, 0, 0, 0, 0],
    (0, 0): [0] * 9,
    (1, 1): [0] * 9,
}
EXPECTED = {
    (2, 6): ONNXRUNTIME[6, 2], (4, 4): ONNXRUNTIME[4, 4], (0, 5): ONNXRUNTIME[5, 0], (1, 1): ONNXRUNTIME[1, 1],
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write(tmp_path_factory.mktemp("artifacts"))


def rates(files, scheduler, *arguments) -> list[float]:
    state = CheckpointState.load_checkpoint(files / "checkpoint")
    module = Module(files / "training_model.onnx", state)
    optimizer = Optimizer(files / "optimizer_model.onnx", module)
    schedule = scheduler(optimizer, *arguments)
    found = [optimizer.get_learning_rate()]
    for _ in range(8):
        module(np.ones((2, 6), np.float32), np.array([0, 1]))
        optimizer.step()
        module.lazy_reset_grad()
        schedule.step()
        found.append(optimizer.get_learning_rate())
    return found


@pytest.mark.parametrize("steps", EXPECTED)
def test_counts_mean_what_their_names_say(files, steps):
    np.testing.assert_allclose(rates(files, LinearLRScheduler, *steps, 1.0), EXPECTED[steps], atol=5e-5)


@pytest.mark.parametrize("steps", ONNXRUNTIME)
def test_the_rates_of_onnxruntime_by_name(files, steps):
    np.testing.assert_allclose(rates(files, OnnxruntimeLinearLRScheduler, *steps, 1.0), ONNXRUNTIME[steps], atol=5e-5)


def test_the_first_update_of_a_warm_up_changes_nothing(files):
    state = CheckpointState.load_checkpoint(files / "checkpoint")
    module = Module(files / "training_model.onnx", state)
    optimizer = Optimizer(files / "optimizer_model.onnx", module)
    LinearLRScheduler(optimizer, 2, 6, 0.2)
    before = module.get_contiguous_parameters()
    module(np.ones((2, 6), np.float32), np.array([0, 1]))
    optimizer.step()
    assert np.array_equal(before, module.get_contiguous_parameters())


def test_a_scheduler_made_in_the_middle_goes_on_from_there(files):
    state = CheckpointState.load_checkpoint(files / "checkpoint")
    module = Module(files / "training_model.onnx", state)
    optimizer = Optimizer(files / "optimizer_model.onnx", module)
    for _ in range(3):
        module(np.ones((2, 6), np.float32), np.array([0, 1]))
        optimizer.step()
    LinearLRScheduler(optimizer, 2, 6, 1.0)
    assert optimizer.get_learning_rate() == pytest.approx(0.75)
