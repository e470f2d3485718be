"""scikit-learn's multilayer perceptrons as skl2onnx writes them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from skl2onnx import to_onnx
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from unit.frontend.round_trip import check, classes, noise

from gradmote import losses
from gradmote.artifacts import build_artifacts
from gradmote.errors import ModelError

X = noise(6, 8)


def fitted(model, target: np.ndarray):
    """Return the model, barely trained, so that more training can improve it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(noise(60, 8, seed=1), target)


@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
def test_classifier(activation, tmp_path):
    network = MLPClassifier((7,), activation=activation, max_iter=2, random_state=0)
    model = to_onnx(fitted(network, classes(noise(60, 8, seed=1), 4)), X, options={"zipmap": False})
    loss = losses.cross_entropy(through_softmax=True)
    session = check(model, loss, X, classes(X, 4), tmp_path, outputs=["probabilities"])
    assert len(session.parameter_names()) == 4


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_regressor(activation, tmp_path):
    network = MLPRegressor(hidden_layer_sizes=(7,), activation=activation, max_iter=2, random_state=0)
    model = to_onnx(fitted(network, noise(60)), X)
    check(model, losses.mse(), X, noise(6, 1, seed=2), tmp_path, rate=0.05)


def test_pipeline_with_scaler(tmp_path):
    network = make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=(7,), max_iter=2, random_state=0))
    model = to_onnx(fitted(network, noise(60)), X)
    check(model, losses.mse(), X, noise(6, 1, seed=2), tmp_path, rate=0.05)


def test_zipmap_left_on_is_refused_by_name():
    network = MLPClassifier((7,), max_iter=2, random_state=0)
    model = to_onnx(fitted(network, classes(noise(60, 8, seed=1), 4)), X)
    with pytest.raises(ModelError, match="output_probability.*zipmap"):
        build_artifacts(model, loss=losses.cross_entropy())


def test_several_outputs_must_be_chosen_from():
    network = MLPClassifier((7,), max_iter=2, random_state=0)
    model = to_onnx(fitted(network, classes(noise(60, 8, seed=1), 4)), X, options={"zipmap": False})
    with pytest.raises(ModelError, match=r"2 outputs \(label, probabilities\).*outputs="):
        build_artifacts(model, loss=losses.cross_entropy())
