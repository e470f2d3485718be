"""`gradmote compile --store` called the samples of an int8 input float32, and data files of int8 were "taken as int32",
although the input takes their bytes as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from gradmote import cli
from gradmote.data import Dataset
from support.quantized import by_onnxruntime, small_cnn


def test_a_store_keeps_integers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.onnx"
    onnx.save(by_onnxruntime.of_integers(small_cnn.model()), model)
    made = cli.main(["compile", str(model), "-o", str(tmp_path / "m.mote"), "--loss", "cross_entropy", "--store", "20"])
    said = capsys.readouterr().out
    assert made == 0 and "store 20 samples of 10 classes, the input's own integers, one byte each:" in said


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "float16", "float32"])
def test_what_loses_nothing_is_not_told(dtype: str, tmp_path: Path) -> None:
    path = tmp_path / "d.npz"
    np.savez(path, x=np.ones((4, 3), dtype), y=np.arange(4, dtype=np.int8))
    assert Dataset.read(path).converted == ()
