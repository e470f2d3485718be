"""skl2onnx ends an MLPRegressor in a Reshape to (-1, 1), also for several targets. The refusal spoke of a loss,
as if the user's labels were wrong. It names the constant at fault, and what to give it."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import onnx
import pytest
from skl2onnx import to_onnx
from sklearn.neural_network import MLPRegressor
from unit.frontend.round_trip import check, noise

from gradmote import compile_model, losses, optimizers
from gradmote.errors import ModelError

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "export.md"
X = noise(8, 5)


def exported(targets: int) -> onnx.ModelProto:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MLPRegressor(hidden_layer_sizes=(4,), max_iter=2, random_state=0).fit(X, noise(8, targets, seed=1))
    return to_onnx(model, X)


@pytest.mark.parametrize("loss", [losses.mse(), losses.l1()], ids=["mse", "l1"])
@pytest.mark.parametrize("batch", [1, 4])
def test_the_refusal_names_the_constant(loss, batch):
    with pytest.raises(ModelError, match=r"2 numbers of a sample into 2 rows.*'shape_tensor' the value \[-1, 2\]"):
        compile_model(exported(2), loss, optimizers.sgd(0.1), batch=batch)


def test_the_cure_of_the_guide(tmp_path):
    """The lines are run as they are printed."""
    section = GUIDE.read_text().split("### Regressors of several targets")[1]
    code, made = re.findall(r"```\n(.*?)```", section, re.S)[0], exported(2)
    exec(code, {"made": made, "np": np})
    check(made, losses.mse(), X, noise(8, 2, seed=2), tmp_path, rate=0.05)


def test_one_target_trains(tmp_path):
    check(exported(1), losses.mse(), X, noise(8, 1, seed=2), tmp_path, rate=0.05)


def test_inference_is_as_the_file_says():
    assert compile_model(exported(2), batch=4).image
