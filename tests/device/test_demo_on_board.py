"""The smart-watch demo on the emulated board, with few windows: board, twin and onnxruntime agree."""

from pathlib import Path

import numpy as np
import pytest

from gradmote.device import Dataset

from demo import report, stage
from demo.stage import Lesson
from demo.watch_data import EXERCISES, leave_out
from demo.watch_model import compile_for, network, training

pytestmark = pytest.mark.device


@pytest.mark.parametrize("train", ["head", "all"])
def test_board_twin_and_onnxruntime_agree(firmware: Path, tmp_path: Path, train: str) -> None:
    own = leave_out(2).own
    assert own.x_test is not None and own.y_test is not None
    few = Dataset(own.x[::10], own.y[::10], own.x_test[::10], own.y_test[::10], own.scale, own.zero)
    model = network()
    compiled = compile_for(model, training(train))
    lesson = Lesson("watch", "few windows", model, compiled, few, 2, "scores", test_each_epoch=False)
    outcome = stage.run(lesson, "qemu:mps2-an386", tmp_path)
    assert outcome.twin is not None and outcome.memory is not None and outcome.instructions is not None
    assert outcome.trained.target == "mps2-an386" and outcome.trained.state == outcome.twin.state
    np.testing.assert_array_equal(outcome.trained.after.given, outcome.twin.after.given)
    np.testing.assert_array_equal(outcome.trained.after.given, outcome.exported.given)
    assert outcome.memory.arena_required == compiled.layout.arena_size
    assert 1e6 < outcome.instructions < 12e6
    report.show_classes(outcome.trained, EXERCISES)
    report.show(outcome, tmp_path)
    assert (tmp_path / "demo.png").stat().st_size > 10_000
