"""examples/watch_files.py: each person's windows are in the file, and the tenth person's are the test set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from gradmote import compile_model, losses, optimizers
from gradmote.compiler import Options
from gradmote.data.dataset import Dataset


def test_the_files_have_what_federated_watch_trains_on(tmp_path: Path) -> None:
    import watch_files

    from demo.watch_data import leave_out

    assert watch_files.main(subject=4, seed=2, out=tmp_path / "made") > 3000
    written, people = Dataset.read(tmp_path / "made" / "watch.npz"), leave_out(4)
    others = [1, 2, 3, 5, 6, 7, 8, 9, 10]
    assert sorted(set(written.more["person"])) == others
    for person, own in zip(others, people.each):
        rows = written.more["person"] == person
        np.testing.assert_array_equal(written.x[rows], own.x)
        np.testing.assert_array_equal(written.y[rows], own.y)
    np.testing.assert_array_equal(written.x_test, people.own.x_test)
    np.testing.assert_array_equal(written.y_test, people.own.y_test)
    assert written.says_scale and (written.scale, written.zero) == (people.own.scale, people.own.zero)


def test_the_image_is_that_of_the_model_beside_it(tmp_path: Path) -> None:
    import watch_files

    from demo.watch_model import BATCH

    watch_files.main(seed=1, out=tmp_path)
    model = onnx.load(tmp_path / "watch.onnx")
    compiled = compile_model(model, losses.cross_entropy(), optimizers.sgd(0.05), Options(batch=BATCH))
    assert (tmp_path / "watch.mote").read_bytes() == compiled.image


def test_nobody_else_can_be_left_out(tmp_path: Path) -> None:
    import watch_files

    from gradmote.errors import DataError

    with pytest.raises(DataError, match="no subject 11"):
        watch_files.main(subject=11, out=tmp_path / "made")
    assert not (tmp_path / "made").exists()
