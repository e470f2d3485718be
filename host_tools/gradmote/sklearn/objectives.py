"""The loss, the L2 penalty and the optimizer of an estimator.

The loss is the mean over the samples of a batch, as in scikit-learn:

    regression     sum over targets of (y - t)^2 / 2
    binary         log(1 + exp(-s)) for class 1, log(1 + exp(s)) for class 0
    multinomial    -log softmax(s)[class]
    one_vs_rest    sum over classes of the binary loss

A penalty decay |w|^2 / 2 of a parameter becomes its weight decay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier, SGDRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor

from .. import losses, optimizers
from ..errors import ModelError
from ..ir.graph import DOMAIN, Builder
from ..losses.loss import Loss, class_label
from ..optimizers import Optimizer
from .predictors import Predictor

#: The loss of a model with stochastic gradient descent that has a counterpart.
_LOSSES = {SGDClassifier: "log_loss", SGDRegressor: "squared_error"}

# ---- Losses ----------------------------------------------------------------------------------------------------------


def own_loss(predictor: Predictor) -> Loss:
    """Return the loss that the estimator minimizes. Raises ModelError for one that is not taken."""
    model = predictor.estimator
    if getattr(model, "class_weight", None) is not None:
        raise ModelError(
            f"{predictor.name} with class_weight={model.class_weight!r}: the loss here has no such weights",
            "pass loss=, such as gradmote.losses.cross_entropy(weight=[...])",
        )
    if isinstance(model, SGDRegressor) and model.loss == "epsilon_insensitive" and model.epsilon == 0:
        return losses.l1()
    taken = _LOSSES.get(type(model))
    if taken is not None and model.loss != taken:
        raise ModelError(
            f"{predictor.name} with loss='{model.loss}', which Gradmote lacks",
            f"pass another as loss=, or fit it with loss='{taken}'",
        )
    made: dict[str, Callable[[], Loss]] = {
        "regression": lambda: half_squared_error,
        "binary": losses.bce_with_logits,
        "multinomial": losses.cross_entropy,
        "one_vs_rest": lambda: one_vs_rest,
    }
    return made[predictor.task]()


def half_squared_error(builder: Builder, predictions: ir.Value) -> ir.Value:
    """Return the sum over targets of (y - t)^2 / 2, of a batch's mean sample."""
    return times(builder, losses.mse()(builder, predictions), targets_of(predictions) / 2)


def one_vs_rest(builder: Builder, scores: ir.Value) -> ir.Value:
    """Return the sum over classes of binary cross-entropy with "this class or another", of a batch's mean sample.

    Labels are class indices (N).
    """
    labels, count = class_label(builder, "labels", scores), targets_of(scores)
    column = builder.op("Unsqueeze", labels, builder.constant([1], "class_axis"), name="label_column")
    column.dtype, column.shape = ir.DataType.INT64, ir.Shape([scores.shape[0], 1])  # type: ignore[index]
    is_class = builder.op("Equal", column, builder.constant(np.arange(count), "all_classes"), name="is_class")
    is_class.dtype, is_class.shape = ir.DataType.BOOL, scores.shape
    targets = builder.op("Cast", is_class, name="targets", to=ir.DataType.FLOAT.value)
    unweighted = builder.constant(1.0, "pos_weight")
    mean = builder.op("BCEWithLogitsLossMean", scores, targets, unweighted, name="each", domain=DOMAIN)
    return times(builder, mean, count)


def targets_of(predictions: ir.Value) -> int:
    """Return the number of columns."""
    return int(predictions.shape[1])  # type: ignore[index, arg-type]


def times(builder: Builder, loss: ir.Value, factor: float) -> ir.Value:
    """Return the loss times a number."""
    return loss if factor == 1 else builder.op("Mul", loss, builder.constant(float(factor), "factor"), name="objective")


# ---- Penalties -------------------------------------------------------------------------------------------------------


def penalties(predictor: Predictor, batch: int, samples: int | None) -> dict[str, float]:
    """Return the weight decay of each penalized parameter.

    batch: samples of an update, which an MLP divides alpha by. samples: those of the whole set, which C and Ridge's
    alpha refer to. Raises ModelError for a penalty other than L2, and for a missing number of samples.
    """
    decay = strength(predictor, batch, samples)
    names = [coef for coef, _ in predictor.layers] if decay else []
    decays = dict.fromkeys(names, decay)
    model = predictor.estimator
    if names and isinstance(model, LogisticRegression) and model.solver == "liblinear" and model.fit_intercept:
        decays["intercept_"] = decay / model.intercept_scaling**2
    return decays


def strength(predictor: Predictor, batch: int, samples: int | None) -> float:
    """Return the factor of |w|^2 / 2 beside the mean loss of a sample."""
    model = predictor.estimator
    if isinstance(model, LinearRegression):
        return 0.0
    if isinstance(model, MLPClassifier | MLPRegressor):
        return float(model.alpha) / batch
    if isinstance(model, Ridge):
        return of_whole_set(predictor, f"alpha={model.alpha}", single(predictor, model.alpha), samples)
    kind = penalty_kind(model)
    if kind not in ("l2", None):
        raise ModelError(f"{predictor.name} with an {kind} penalty, which is not taken", "penalty=False leaves it out")
    if isinstance(model, LogisticRegression):
        return of_whole_set(predictor, f"C={model.C}", 1 / model.C if kind else 0.0, samples)
    return float(model.alpha) if kind else 0.0


def penalty_kind(model: Any) -> str | None:
    """Return "l1", "l2", "elasticnet" or None, of an SGD model or a LogisticRegression.

    Since scikit-learn 1.8 LogisticRegression says it by l1_ratio and C.
    """
    if model.penalty != "deprecated":
        return model.penalty if getattr(model, "C", 0.0) != np.inf else None
    if np.isinf(model.C):
        return None
    return {0: "l2", 1: "l1"}.get(model.l1_ratio or 0, "elasticnet")


def single(predictor: Predictor, alpha: Any) -> float:
    """Return alpha. Raises ModelError if it differs between targets."""
    if np.unique(alpha).size != 1:
        raise ModelError(f"{predictor.name} with an alpha for each target", "penalty=False leaves it out")
    return float(np.ravel(alpha)[0])


def of_whole_set(predictor: Predictor, said: str, total: float, samples: int | None) -> float:
    """Return a penalty of the sum of all losses as one of their mean. said: how the estimator has it."""
    if total == 0:
        return 0.0
    if not samples:
        raise ModelError(
            f"{predictor.name} has {said}, which counts beside the sum of the losses of all samples",
            "pass samples=, their number while the image trains, or penalty=False",
        )
    return total / samples


# ---- Optimizers ------------------------------------------------------------------------------------------------------


def own_optimizer(predictor: Predictor) -> Optimizer:
    """Return the estimator's own rule; Adam, as an MLP has by default, for one that solves its task at once.

    Raises ModelError for a rate that changes.
    """
    model = predictor.estimator
    if isinstance(model, MLPClassifier | MLPRegressor) and model.solver == "adam":
        return optimizers.adam(model.learning_rate_init, model.beta_1, model.beta_2, model.epsilon)
    is_mlp = isinstance(model, MLPClassifier | MLPRegressor) and model.solver == "sgd"
    if not is_mlp and not isinstance(model, SGDClassifier | SGDRegressor):
        return optimizers.adam()
    if model.learning_rate != "constant":
        raise ModelError(
            f"{predictor.name} with learning_rate='{model.learning_rate}', which changes the rate its own way",
            "pass optimizer=gradmote.optimizers.sgd(RATE), or fit it with learning_rate='constant'",
        )
    if not is_mlp:
        return optimizers.sgd(model.eta0)
    return optimizers.sgd(model.learning_rate_init, model.momentum, model.nesterovs_momentum and model.momentum > 0)


def with_penalties(optimizer: Optimizer, decays: dict[str, float]) -> Optimizer:
    """Return the optimizer with the estimator's penalties.

    Raises ModelError if it decays weights too, or decays them in another way than by their gradients.
    """
    if not decays:
        return optimizer
    if optimizer.rule.startswith("adamw") or optimizer.hyper.get("weight_decay"):
        raise ModelError(
            f"the estimator has an L2 penalty, and the optimizer {optimizer.rule} a weight decay of its own",
            "pass penalty=False, or adam or sgd without weight decay",
        )
    if optimizer.groups:
        raise ModelError("the estimator has an L2 penalty, and the optimizer groups of its own", "pass penalty=False")
    return optimizer.with_groups({name: {"weight_decay": decay} for name, decay in decays.items()})
