"""Keras models as tf2onnx writes them: tests/support/data/make_keras.py made the files."""

from __future__ import annotations

from pathlib import Path

import onnx
from unit.frontend.round_trip import check, classes, noise

from gradmote import losses

DATA = Path(__file__).resolve().parents[2] / "support" / "data"


def test_classifier_with_softmax(tmp_path):
    x = noise(6, 4, 4, 1)
    loss = losses.cross_entropy(through_softmax=True)
    session = check(onnx.load(DATA / "keras_classifier.onnx"), loss, x, classes(x, 3), tmp_path)
    assert len(session.parameter_names()) == 4


def test_reshape_chains_with_dynamic_batch(tmp_path):
    """Reshape to an inferred dimension and Dense over three axes leave Shape, Cast, Slice, Gather, Concat and
    Reshape."""
    x = noise(6, 12)
    target = (x[:, :1] > 0).astype("float32")
    check(onnx.load(DATA / "keras_regressor.onnx"), losses.mse(), x, target, tmp_path, rate=0.5)
