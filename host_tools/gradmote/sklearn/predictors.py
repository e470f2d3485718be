"""Fitted predictors, whose coefficients train: their layers, and what their scores mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import onnx_ir as ir
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier, SGDRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor

from ..errors import ModelError
from ..ir.graph import Builder

#: What an estimator predicts: numbers; one of two classes, by the sign of one score; one of several by the largest of
#: scores that compete in a softmax, or that each stand against all other classes.
Task = Literal["regression", "binary", "multinomial", "one_vs_rest"]
#: The activation of an MLP's hidden layers -> its operator.
_ACTIVATIONS = {"identity": None, "logistic": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}


@dataclass(frozen=True)
class Predictor:
    """A predictor, as the image computes it.

    layers: the names of each layer's coefficients and intercepts, None without these. classes: labels in the order of
    the scores; None for regression. activation: the operator after each layer except the last.
    """

    estimator: Any
    task: Task
    layers: tuple[tuple[str, str | None], ...]
    classes: np.ndarray | None = None
    activation: str | None = None

    @property
    def name(self) -> str:
        """The name of the estimator's class."""
        return type(self.estimator).__name__

    @property
    def parameters(self) -> list[str]:
        """The names of what trains."""
        return [name for layer in self.layers for name in layer if name is not None]

    @property
    def outputs(self) -> int:
        """The number of scores, or of targets."""
        last = self.layers[-1][0]
        return self.array(last).shape[0 if last == "coef_" else 1]

    def array(self, name: str) -> np.ndarray:
        """Return a parameter in float32 as the image has it: a single target has a row, and an intercept an axis."""
        array = np.asarray(numbers(self.estimator, name), np.float32)
        return np.atleast_2d(array) if name == "coef_" else np.atleast_1d(array)

    def append(self, builder: Builder, x: ir.Value) -> ir.Value:
        """Append the layers, and return the scores (N, classes), or the predictions (N, targets)."""
        result = "predictions" if self.task == "regression" else "scores"
        for number, layer in enumerate(self.layers):
            is_last = number + 1 == len(self.layers)
            weights = [builder.constant(self.array(name), name) for name in layer if name is not None]
            is_transposed = int(layer[0] == "coef_")
            name = result if is_last else f"layer.{number}"
            x = builder.op("Gemm", x, *weights, name=name, transB=is_transposed)
            if self.activation is not None and not is_last:
                x = builder.op(self.activation, x, name=f"activation.{number}")
        return x


def numbers(estimator: Any, name: str) -> Any:
    """Return a parameter of an estimator; "coefs_.1" is coefs_[1]."""
    attribute, _, index = name.partition(".")
    found = getattr(estimator, attribute)
    return found[int(index)] if index else found


def replace_numbers(estimator: Any, name: str, array: np.ndarray) -> None:
    """Put other numbers into a parameter, in its type and shape."""
    attribute, _, index = name.partition(".")
    old = np.asarray(numbers(estimator, name))
    new = array.astype(old.dtype).reshape(old.shape)[()]  # a number, if the old was one
    if index:
        getattr(estimator, attribute)[int(index)] = new
    else:
        setattr(estimator, attribute, new)


# ---- The kinds of predictors -----------------------------------------------------------------------------------------


def perceptron(mlp: Any) -> Predictor:
    """Return an MLPClassifier or MLPRegressor. Raises ModelError for multi-label targets, and for Poisson's."""
    if mlp.out_activation_ == "exp":
        raise ModelError(f"MLPRegressor with loss='{mlp.loss}' is not taken", "use loss='squared_error'")
    classes = getattr(mlp, "classes_", None)
    if mlp.out_activation_ == "logistic" and mlp.n_outputs_ > 1:
        raise ModelError(
            f"MLPClassifier with {mlp.n_outputs_} labels for each sample is not taken", "fit one with a single label"
        )
    layers = tuple((f"coefs_.{number}", f"intercepts_.{number}") for number in range(len(mlp.coefs_)))
    task = "regression" if classes is None else task_of(classes, "multinomial")
    return Predictor(mlp, task, layers, classes, _ACTIVATIONS[mlp.activation])


def logistic(model: Any) -> Predictor:
    """Return a LogisticRegression; before scikit-learn 1.8 some are one-vs-rest."""
    scheme = getattr(model, "multi_class", "auto")
    if scheme == "multinomial" and len(model.classes_) == 2:
        raise ModelError("LogisticRegression with multi_class='multinomial' for two classes", "fit it without")
    is_apart = scheme == "ovr" or model.solver == "liblinear"
    return linear(model, task_of(model.classes_, "one_vs_rest" if is_apart else "multinomial"))


def separate(model: Any) -> Predictor:
    """Return an SGDClassifier."""
    return linear(model, task_of(model.classes_, "one_vs_rest"))


def regression(model: Any) -> Predictor:
    """Return a linear regression. Raises ModelError if its coefficients must stay positive."""
    if getattr(model, "positive", False):
        raise ModelError(f"{type(model).__name__} with positive=True: training may make coefficients negative",
                         "fit it with positive=False")  # fmt: skip
    return linear(model, "regression")


def linear(model: Any, task: Task) -> Predictor:
    """Return a model of one layer. Raises ModelError for sparse or averaged coefficients."""
    name = type(model).__name__
    if hasattr(model.coef_, "toarray"):
        raise ModelError(f"the coef_ of {name} is sparse", "call densify() first")
    if getattr(model, "average", False):
        raise ModelError(f"{name} with average={model.average}: its coefficients are averages", "fit it without")
    if not model.fit_intercept and np.any(model.intercept_):
        raise ModelError(f"{name} has fit_intercept=False and an intercept other than 0", "set intercept_ to 0")
    intercept = "intercept_" if model.fit_intercept else None
    return Predictor(model, task, (("coef_", intercept),), getattr(model, "classes_", None))


def task_of(classes: np.ndarray, of_several: Task) -> Task:
    """Return what a classifier predicts. Raises ModelError if it has seen a single class."""
    if len(classes) < 2:
        raise ModelError(f"the classifier has seen a single class, {classes.tolist()[0]!r}", "fit it on two or more")
    return "binary" if len(classes) == 2 else of_several


PREDICTORS: dict[type, Callable[[Any], Predictor]] = {
    MLPClassifier: perceptron,
    MLPRegressor: perceptron,
    LogisticRegression: logistic,
    LinearRegression: regression,
    Ridge: regression,
    SGDClassifier: separate,
    SGDRegressor: regression,
}


def require_taken(estimator: Any) -> None:
    """Raise ModelError for a predictor that is not taken."""
    name = type(estimator).__name__
    if hasattr(estimator, "best_estimator_"):
        raise ModelError(f"{name} is a search", "pass its best_estimator_")
    if type(estimator) not in PREDICTORS:
        names = ", ".join(kind.__name__ for kind in PREDICTORS)
        raise ModelError(f"{name} is not taken as an estimator, or as the last step", f"use one of {names}")


def predictor_of(estimator: Any) -> Predictor:
    """Return a fitted predictor. Raises ModelError for settings that are not taken."""
    return PREDICTORS[type(estimator)](estimator)
