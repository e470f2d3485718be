"""The demonstration with digits: an MLP that has seen few digits learns from more on the device."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnx

from gradmote import losses, optimizers
from gradmote.compiler.compile import compile_model
from gradmote.compiler.options import Options
from gradmote.device.dataset import Dataset

from . import report, stage
from .stage import Lesson, Outcome, say

#: The skl2onnx output for the loss.
OUTPUT = "probabilities"
PRETRAINED_ON, HELD_OUT, BATCH, RATE = 100, 450, 8, 0.004


def run(on: str, out: Path, epochs: int) -> Outcome:
    """Run the demonstration: print each step and a table, and draw the picture."""
    model, data = pretrain()
    say(f"pre-trained on {PRETRAINED_ON} digits with scikit-learn, exported by skl2onnx: {out / 'digits.onnx'}")
    loss = losses.cross_entropy(through_softmax=True)
    compiled = compile_model(model, loss, optimizers.adamw(RATE), Options(batch=BATCH), outputs=[OUTPUT])
    lesson = Lesson("digits", "Digits, learned on the device", model, compiled, data, epochs, OUTPUT)
    outcome = stage.run(lesson, on, out)
    report.show(outcome, out)
    return outcome


def pretrain() -> tuple[onnx.ModelProto, Dataset]:
    """Return an MLP 64-32-10 that has seen few digits, and the data for the board.

    Pixels are bytes in 0 .. 16.
    """
    import skl2onnx
    from sklearn.datasets import load_digits
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import train_test_split
    from sklearn.neural_network import MLPClassifier

    pixels, digits = load_digits(return_X_y=True)
    pixels = pixels.astype(np.uint8)
    rest, x_test, rest_y, y_test = train_test_split(pixels, digits, test_size=HELD_OUT, random_state=0, stratify=digits)
    seen, x, seen_y, y = train_test_split(rest, rest_y, train_size=PRETRAINED_ON, random_state=0, stratify=rest_y)
    scaled = (seen / 16).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        network = MLPClassifier((32,), random_state=0).fit(scaled, seen_y)
    model = skl2onnx.to_onnx(network, scaled[:1], options={"zipmap": False})
    return model, Dataset(x, y, x_test, y_test, scale=1 / 16)
