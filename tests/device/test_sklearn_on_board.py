"""A pipeline of scikit-learn learns on a board, and then predicts as the board does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numeric.from_sklearn.estimators import BATCH, ESTIMATORS, fitted, samples_of

import gradmote.sklearn as front
from gradmote.device import Target, open_target

STARTS = range(0, len(samples_of("mlp")), BATCH)


def an_epoch(target: Target, x: np.ndarray, labels: np.ndarray) -> None:
    for start in STARTS:
        target.write("input", 0, x[start : start + BATCH])
        target.write("label", 0, labels[start : start + BATCH])
        target.run("step")


def scores_of(target: Target, x: np.ndarray) -> np.ndarray:
    found = []
    for start in STARTS:
        target.write("input", 0, x[start : start + BATCH])
        target.run("infer")
        found.append(target.output(0))
    return np.concatenate(found)


@pytest.mark.device
@pytest.mark.parametrize("name", ["mlp of two classes", "sgd", "ridge"])
def test_an_epoch_on_a_board(firmware: Path, name: str) -> None:
    make, y, arguments = ESTIMATORS[name]
    estimator, x = fitted(make(), y), samples_of(name)
    made = front.compile(estimator, batch=BATCH, **arguments)
    with open_target("qemu:mps2-an386") as board, open_target("twin:strict") as twin:
        for target in (board, twin):
            target.load_image(made.image)
            an_epoch(target, x.astype(np.float32), made.labels(y))
        assert board.state() == twin.state()
        scores, learned = scores_of(board, x.astype(np.float32)), board.save()
    made.update(estimator, learned)
    if name == "mlp of two classes":
        expected = estimator.predict_proba(x)[:, 1:]
        scores = 1 / (1 + np.exp(-scores.astype(np.float64)))
    else:
        expected = estimator.predict(x) if name == "ridge" else estimator.decision_function(x)
    assert np.abs(scores - expected).max() <= 1e-6 * np.abs(expected).max()
