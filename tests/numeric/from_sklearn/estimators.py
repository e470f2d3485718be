"""Fitted estimators and pipelines, each with something of its own, and what scikit-learn says of their samples."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier, SGDRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, RobustScaler, StandardScaler

SAMPLES, FEATURES, BATCH = 48, 6, 8
NAMES = np.array(["ash", "beech", "cherry"])
#: The rate of a model with stochastic gradient descent, which an image keeps.
CONSTANT = {"learning_rate": "constant", "eta0": 0.02, "random_state": 0}


def features() -> np.ndarray:
    """Return samples (48, 6) whose columns have means and deviations of their own, exact in float32."""
    x = np.random.default_rng(0).normal(size=(SAMPLES, FEATURES)) * [1, 3, 0.2, 10, 1, 2] + [0, 5, 1, -30, 2, 0]
    return x.astype(np.float32).astype(np.float64)


def classes(count: int) -> np.ndarray:
    """Return a class for each sample, which its features show."""
    score = features()[:, 1] + features()[:, 3] / 3
    return NAMES[np.digitize(score, np.quantile(score, np.arange(1, count) / count))]


def targets(count: int = 1) -> np.ndarray:
    """Return numbers (48) or (48, count)."""
    y = features() @ np.random.default_rng(1).normal(size=(FEATURES, count)) + 2
    return y[:, 0] if count == 1 else y


def fitted(model: Any, y: np.ndarray, dtype: Any = np.float64) -> Any:
    """Return the model after a short fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(features().astype(dtype), y)


def mlp(kind: Any, activation: str = "relu", **settings: Any) -> Any:
    return kind(hidden_layer_sizes=(7, 5), activation=activation, max_iter=5, random_state=0, **settings)


def marked(x: np.ndarray) -> np.ndarray:
    """Return the samples with a number for missing values here and there."""
    return np.where(np.random.default_rng(2).random(x.shape) < 0.1, -1.0, x)


def nested() -> Any:
    front = Pipeline([("nothing", "passthrough"), ("scale", StandardScaler(with_mean=False)), ("pca", PCA(4))])
    return Pipeline([("front", front), ("none", None), ("mlp", mlp(MLPClassifier, "identity"))])


#: name -> the estimator, its targets, and the arguments of compile() that it needs
ESTIMATORS: dict[str, tuple[Callable[[], Any], np.ndarray, dict[str, Any]]] = {
    "mlp": (lambda: make_pipeline(StandardScaler(), mlp(MLPClassifier)), classes(3), {}),
    "mlp of two classes": (
        lambda: make_pipeline(MinMaxScaler((-1, 1), clip=True), mlp(MLPClassifier, "tanh")), classes(2), {},
    ),
    "mlp of several targets": (
        lambda: make_pipeline(PCA(3, whiten=True), mlp(MLPRegressor, "logistic", solver="lbfgs")), targets(2), {},
    ),
    "mlp of one target": (lambda: make_pipeline(RobustScaler(), mlp(MLPRegressor)), targets(), {}),
    "nested": (nested, classes(3), {}),
    "logistic": (
        lambda: make_pipeline(PCA(5), MaxAbsScaler(), LogisticRegression()), classes(3), {"samples": SAMPLES},
    ),
    "logistic of two classes": (lambda: LogisticRegression(C=0.5), classes(2), {"samples": SAMPLES}),
    "linear": (lambda: make_pipeline(StandardScaler(), LinearRegression()), targets(), {}),
    "linear without intercept": (
        lambda: make_pipeline(StandardScaler(with_std=False), LinearRegression(fit_intercept=False)), targets(3), {},
    ),
    "ridge": (
        lambda: make_pipeline(RobustScaler(with_centering=False), Ridge(2.0)), targets(2), {"samples": SAMPLES},
    ),
    "sgd": (
        lambda: make_pipeline(Normalizer(), StandardScaler(), SGDClassifier("log_loss", **CONSTANT)), classes(3), {},
    ),
    "sgd of two classes": (
        lambda: make_pipeline(Normalizer("l1"), SGDClassifier("log_loss", penalty=None, **CONSTANT)), classes(2), {},
    ),
    "sgd of a target": (
        lambda: make_pipeline(SimpleImputer(missing_values=-1, strategy="median"), Normalizer("max"),
                              SGDRegressor(**CONSTANT)), targets(), {},
    ),
}  # fmt: skip


def samples_of(name: str) -> np.ndarray:
    """Return the samples for an estimator of ESTIMATORS: some are missing if it replaces these."""
    return marked(features()) if name == "sgd of a target" else features()
