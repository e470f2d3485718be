"""Anomaly detection: an autoencoder learns on the device what a normal pulse looks like, and nothing else. Windows
that it cannot reproduce are anomalies.

    ./run example anomaly_autoencoder
    ./run example anomaly_autoencoder --epochs 1 --step 32 --on qemu:mps2-an386
"""

from __future__ import annotations

import numpy as np
import onnx
from sklearn.metrics import roc_auc_score

from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.device import Dataset, Target, fit_with_progress, load_with_progress, open_target, predict

from data import vital_sign
from shared import report
from shared.networks import Network

WINDOW, BATCH, RATE = 64, 8, 0.003


def network() -> onnx.ModelProto:
    net = Network((WINDOW,))
    net.linear(32).relu().linear(8).relu()
    return net.linear(32).relu().linear(WINDOW).model()


def errors(target: Target, normal: Dataset, windows: np.ndarray) -> np.ndarray:
    """Return the mean squared difference between each window and the autoencoder's output for it, (n,)."""
    return ((predict(target, normal, windows) - windows) ** 2).mean(axis=1)


def main(epochs: int = 20, step: int = 4, on: str = "twin") -> float:
    """Train on normal windows, then check every STEP-th later one. Returns the area under the ROC curve."""
    series = vital_sign.load()
    x = vital_sign.windows(series.normal, WINDOW, step=1)
    normal = Dataset(x, x.copy())  # the target is the input itself
    later = vital_sign.windows(series.later, WINDOW, step)
    anomalous = vital_sign.windows(series.anomalous, WINDOW, step).any(axis=1)

    compiled = compile_model(network(), losses.mse(), optimizers.adamw(RATE), Options(batch=BATCH))
    with open_target(on) as target:
        load_with_progress(target, compiled.image)
        before = roc_auc_score(anomalous, errors(target, normal, later))
        target.set_linear_schedule(RATE, warmup_steps=0, total_steps=epochs * (len(x) // BATCH))
        fit_with_progress(target, normal, epochs)
        found = errors(target, normal, later)
    after = roc_auc_score(anomalous, found)
    title = f"{anomalous.sum()} of {len(later)} windows are anomalous, on {target.name}"
    report.before_after(title, {"area under the ROC curve": (before, after)}, form=".3f")
    marked, worst = np.flatnonzero(series.anomalous), int(found.argmax()) * step
    report.say(f"anomalous: samples {marked[0]} to {marked[-1]}; largest error: {worst} to {worst + WINDOW - 1}")
    report.on_the_board(compiled)
    return after


if __name__ == "__main__":
    report.run(main)
