"""Metrics against scikit-learn's, on drawn labels and scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from gradmote.metrics.classes import BINS, ClassCounts
from gradmote.metrics.detection import roc
from gradmote.metrics.numbers import ErrorCounts

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(2, 7), st.integers(1, 60))
def test_classes(seed: int, classes: int, count: int) -> None:
    random = np.random.default_rng(seed)
    labels, shares = random.integers(0, classes, count), random.dirichlet(np.ones(classes), count)
    counts = ClassCounts(classes)
    for part in np.array_split(np.arange(count), 3):
        counts.add(labels[part], shares[part])
    found, answers = counts.confusion(), shares.argmax(axis=1)
    expected = metrics.precision_recall_fscore_support(labels, answers, labels=range(classes), zero_division=np.nan)
    np.testing.assert_array_equal(found.counts, metrics.confusion_matrix(labels, answers, labels=range(classes)))
    for name, values in zip(("precision", "recall", "f1", "samples"), expected, strict=True):
        np.testing.assert_allclose(getattr(found, name), values, rtol=1e-12, err_msg=name)
    assert found.accuracy == metrics.accuracy_score(labels, answers)


@given(SEEDS, st.integers(1, 200))
def test_calibration(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    labels, shares = random.integers(0, 3, count), random.dirichlet(np.ones(3), count)
    counts = ClassCounts(3)
    counts.add(labels, shares)
    confidence, right = shares.max(axis=1), shares.argmax(axis=1) == labels
    gaps = 0.0
    for k in range(BINS):
        inside = (confidence * BINS >= k) & (confidence * BINS < k + 1)
        if inside.any():
            gaps += inside.sum() * abs(confidence[inside].mean() - right[inside].mean())
    assert counts.calibration().error == pytest.approx(gaps / count, abs=1e-12)
    assert counts.calibration().samples.sum() == count


@given(SEEDS, st.integers(2, 80), st.integers(1, 30))
def test_roc_with_scores_that_are_equal(seed: int, count: int, levels: int) -> None:
    random = np.random.default_rng(seed)
    labels, scores = random.integers(0, 2, count), random.integers(0, levels, count).astype(np.float32)
    curve = roc(labels, scores)
    if len(set(labels)) < 2:
        assert curve is None
        return
    assert curve is not None
    assert curve.area == pytest.approx(metrics.roc_auc_score(labels, scores))
    for k, threshold in enumerate(curve.thresholds):
        above = scores > threshold
        assert curve.true_positives[k] == above[labels == 1].mean()
        assert curve.false_positives[k] == above[labels == 0].mean()
    false, true, _ = metrics.roc_curve(labels, scores)
    assert (curve.true_positives - curve.false_positives)[curve.best] == pytest.approx((true - false).max())


@given(SEEDS, st.integers(2, 50), st.integers(1, 3))
def test_numbers(seed: int, count: int, outputs: int) -> None:
    random = np.random.default_rng(seed)
    targets, answers = random.normal(1e3, 1, (count, outputs)), random.normal(1e3, 1, (count, outputs))
    counts = ErrorCounts()
    for part in np.array_split(np.arange(count), 2):
        counts.add(targets[part], answers[part])
    found = counts.errors()
    assert found is not None and found.samples == count
    raw = {"multioutput": "raw_values"}
    np.testing.assert_allclose(found.mean_absolute, metrics.mean_absolute_error(targets, answers, **raw))
    np.testing.assert_allclose(found.root_mean_square, metrics.root_mean_squared_error(targets, answers, **raw))
    np.testing.assert_allclose(found.r2, metrics.r2_score(targets, answers, **raw), rtol=1e-6)
    np.testing.assert_allclose(found.largest, abs(targets - answers).max(axis=0))
    assert ErrorCounts().errors() is None
