"""gradmote.sklearn: images predict as their estimators do, step as these do, and what they learn goes back."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numeric.from_sklearn.estimators import (
    BATCH,
    CONSTANT,
    ESTIMATORS,
    NAMES,
    SAMPLES,
    classes,
    features,
    fitted,
    mlp,
    samples_of,
    targets,
)
from sklearn.base import is_classifier
from sklearn.decomposition import KernelPCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import gradmote.sklearn as front
from gradmote import losses, optimizers
from gradmote.errors import CheckpointError, DataError, ModelError


def last_of(estimator: Any) -> Any:
    return estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator


def predicted(session: Any, x: np.ndarray) -> np.ndarray:
    batches = [x[i : i + BATCH].astype(np.float32) for i in range(0, len(x), BATCH)]
    return np.concatenate([np.array(session.infer(batch)[0]) for batch in batches])


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores.astype(np.float64) - scores.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def probabilities(scores: np.ndarray, model: Any) -> np.ndarray:
    """The numbers of predict_proba(): a softmax, or logistic functions of one score and of each of one-vs-rest."""
    if isinstance(model, SGDClassifier) and scores.shape[1] > 1:
        apart = 1 / (1 + np.exp(-scores.astype(np.float64)))
        return apart / apart.sum(1, keepdims=True)
    return softmax(np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores)


def require_equal(scores: np.ndarray, estimator: Any, x: np.ndarray) -> float:
    """Compare all that scikit-learn predicts, and return the largest difference relative to the largest number."""
    if not hasattr(estimator, "predict_proba"):
        pairs = [(scores, estimator.predict(x))]
    else:
        pairs = [(probabilities(scores, last_of(estimator)), estimator.predict_proba(x))]
        if hasattr(estimator, "decision_function"):
            pairs.append((scores, estimator.decision_function(x)))
        indices = scores.argmax(1) if scores.shape[1] > 1 else (scores[:, 0] > 0).astype(int)
        np.testing.assert_array_equal(last_of(estimator).classes_[indices], estimator.predict(x))
    worst = max(float(np.abs(ours - theirs.reshape(ours.shape)).max() / np.abs(theirs).max()) for ours, theirs in pairs)
    assert worst <= 1e-6
    return worst


def an_epoch(session: Any, x: np.ndarray, labels: np.ndarray) -> list[float]:
    rows = [slice(i, i + BATCH) for i in range(0, len(x), BATCH)]
    return [session.step(x[each].astype(np.float32), labels[each]) for each in rows]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_predictions_before_and_after_an_epoch(name: str) -> None:
    make, y, arguments = ESTIMATORS[name]
    estimator, x = fitted(make(), y), samples_of(name)
    made = front.compile(estimator, batch=BATCH, **arguments)
    untouched = copy.deepcopy(estimator)
    with made.session() as session:
        require_equal(predicted(session, x), estimator, x)
        an_epoch(session, x, made.labels(y))
        scores = predicted(session, x)
        assert np.abs(scores - predicted_by(untouched, x, scores)).max() > 1e-5, "nothing was learned"
        made.update(estimator, session)
        require_equal(scores, estimator, x)
        trained = session.save()
    require_only_coefficients_changed(estimator, untouched, made.parameters)
    with made.session() as session:
        session.load(made.checkpoint(estimator))
        np.testing.assert_array_equal(predicted(session, x), scores)
    made.update(untouched, trained)
    require_equal(scores, untouched, x)


def predicted_by(estimator: Any, x: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The scores of an estimator; of an MLP that classifies, those of its last layer."""
    model = last_of(estimator)
    if not isinstance(model, MLPClassifier):
        name = "decision_function" if hasattr(estimator, "decision_function") else "predict"
        return getattr(estimator, name)(x).reshape(scores.shape)
    probability = estimator.predict_proba(x)
    return np.log(probability[:, 1:] / probability[:, :1]) if scores.shape[1] == 1 else np.log(probability)


def require_only_coefficients_changed(after: Any, before: Any, parameters: tuple[str, ...]) -> None:
    new, old = last_of(after), last_of(before)
    names = {name.split(".")[0] for name in parameters}
    for name in names:
        arrays = [[np.asarray(a) for a in v] if isinstance(v, list) else [np.asarray(v)] for v in
                  (getattr(new, name), getattr(old, name))]  # fmt: skip
        assert [(a.dtype, a.shape) for a in arrays[0]] == [(a.dtype, a.shape) for a in arrays[1]]
        assert type(getattr(new, name)) is type(getattr(old, name))
    assert new.__dict__.keys() == old.__dict__.keys()
    others = new.__dict__.keys() - names - {"_optimizer", "_label_binarizer", "_random_state", "_loss_function_"}
    for name in others:
        np.testing.assert_equal(new.__dict__[name], old.__dict__[name])


# ---- Steps -----------------------------------------------------------------------------------------------------------

STEPPED: dict[str, tuple[Any, np.ndarray]] = {
    "adam": (mlp(MLPClassifier, alpha=0.3), classes(3)),
    "adam of two classes": (mlp(MLPClassifier, "tanh", alpha=0.3), classes(2)),
    "momentum": (mlp(MLPClassifier, solver="sgd", learning_rate_init=0.1, alpha=0.3), classes(3)),
    "plain": (mlp(MLPRegressor, solver="sgd", momentum=0, nesterovs_momentum=False, alpha=0.3), targets(3)),
    "half the squared error": (mlp(MLPRegressor, "tanh", solver="sgd", nesterovs_momentum=False), targets()),
    "one against the rest": (SGDClassifier("log_loss", alpha=0.3, **CONSTANT), classes(3)),
    "two classes": (SGDClassifier("log_loss", alpha=0.3, **CONSTANT), classes(2)),
    "a target": (SGDRegressor(alpha=0.3, **{**CONSTANT, "eta0": 1e-3}), targets()),
    "without a penalty": (SGDRegressor(penalty=None, fit_intercept=False, **{**CONSTANT, "eta0": 1e-3}), targets()),
    "absolute error": (SGDRegressor("epsilon_insensitive", epsilon=0, **CONSTANT), targets()),
}


@pytest.mark.parametrize("name", STEPPED)
def test_steps_are_those_of_partial_fit(name: str) -> None:
    """The estimator itself steps on the same batches, one sample each for stochastic gradient descent."""
    model, y = STEPPED[name]
    x = (features() - features().mean(0)) / features().std(0)
    model = fitted_on(model, x, y)
    batch = BATCH if isinstance(model, MLPClassifier | MLPRegressor) else 1
    made = front.compile(model, batch=batch)
    theirs, labels = copy.deepcopy(model), made.labels(y)
    theirs.__dict__.pop("_optimizer", None)  # moments begin at zero, as in the image
    with made.session() as session:
        for rows in (slice(i, i + batch) for i in range(0, 4 * batch, batch)):
            session.step(x[rows].astype(np.float32), labels[rows])
            theirs.partial_fit(x[rows], y[rows])
        made.update(model, session)
    for ours, expected in zip(coefficients(model), coefficients(theirs), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=2e-6)


def fitted_on(model: Any, x: np.ndarray, y: np.ndarray) -> Any:
    """A copy after a single pass over the samples."""
    first = {"classes": np.unique(y)} if is_classifier(model) else {}
    return copy.deepcopy(model).partial_fit(x, y, **first)


def coefficients(model: Any) -> list[np.ndarray]:
    return [*model.coefs_, *model.intercepts_] if hasattr(model, "coefs_") else [model.coef_, model.intercept_]


SOLVED: dict[str, tuple[Any, np.ndarray]] = {
    "linear": (LinearRegression(), targets(2)),
    "ridge": (Ridge(20.0), targets()),
    "logistic": (LogisticRegression(C=0.1, tol=1e-8), classes(3)),
    "logistic of two classes": (LogisticRegression(C=0.1, tol=1e-8), classes(2)),
    "penalized intercept": (
        LogisticRegression(C=0.1, solver="liblinear", intercept_scaling=2.0, tol=1e-8), classes(2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SOLVED)
def test_training_ends_at_the_solution(name: str) -> None:
    """From coefficients elsewhere, steps on all samples lead back to those that scikit-learn solved for."""
    model, y = SOLVED[name]
    x = (features() - features().mean(0)) / features().std(0)
    model = copy.deepcopy(model).fit(x, y)
    solved = [array.copy() for array in map(np.asarray, coefficients(model))]
    made = front.compile(model, None, optimizers.sgd(0.5), batch=SAMPLES, samples=SAMPLES)
    model.coef_ = model.coef_ + 0.3
    model.intercept_ = model.intercept_ + np.linspace(-0.2, 0.2, np.size(model.intercept_)).reshape(
        np.shape(model.intercept_)
    )
    labels, x32 = made.labels(y), x.astype(np.float32)
    with made.session() as session:
        session.load(made.checkpoint(model))
        for _ in range(400):
            session.step(x32, labels)
        made.update(model, session)
    for ours, expected in zip(coefficients(model), solved, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-3, atol=1e-4)


# ---- Classes and labels ----------------------------------------------------------------------------------------------


def test_classes_have_their_names() -> None:
    model = fitted(LogisticRegression(), classes(3))
    made = front.compile(model, penalty=False)
    with made.session() as session:
        assert session.class_names() == NAMES.tolist()
        session.infer(features()[:1].astype(np.float32))
        assert NAMES[session.classify()[0]] == model.predict(features()[:1])[0]
    np.testing.assert_array_equal(made.labels(["cherry", "ash"]), np.array([2, 0], np.int32))
    with pytest.raises(DataError, match=r"the estimator has no class 'elm' - it has \['ash', 'beech', 'cherry'\]"):
        made.labels(["ash", "elm"])
    as_numbers = front.compile(fitted(LogisticRegression(), np.searchsorted(NAMES, classes(3))), penalty=False)
    with as_numbers.session() as session:
        assert session.class_names() == []


def test_labels_of_another_loss() -> None:
    made = front.compile(fitted(LogisticRegression(), classes(3)), losses.bce_with_logits(), penalty=False)
    np.testing.assert_array_equal(made.labels(["cherry"]), np.array([[0, 0, 1]], np.float32))


def test_float32_stays_float32() -> None:
    model = fitted(mlp(MLPClassifier), classes(3), np.float32)
    made = front.compile(model, batch=BATCH)
    with made.session() as session:
        an_epoch(session, features(), made.labels(classes(3)))
        made.update(model, session)
    assert {array.dtype for array in coefficients(model)} == {np.dtype(np.float32)}


# ---- What is refused -------------------------------------------------------------------------------------------------


def sparse() -> Any:
    return fitted(SGDClassifier("log_loss", **CONSTANT), classes(3)).sparsify()


def changed(model: Any, **settings: Any) -> Any:
    return model.set_params(**settings)


def two_labels() -> Any:
    return fitted(mlp(MLPClassifier), np.stack([classes(2) == "ash", features()[:, 0] > 0], 1).astype(int))


def with_hole(kind: Any) -> Any:
    x = features()
    x[:, 2] = -1
    with pytest.warns(UserWarning, match="without any observed values"):
        return make_pipeline(kind, LinearRegression()).fit(x, targets())


REFUSED: dict[str, tuple[Callable[[], Any], dict[str, Any], str]] = {
    "unfitted": (lambda: MLPClassifier(), {}, "MLPClassifier is not fitted - call fit() first"),
    "named optimizer": (
        lambda: fitted(Ridge(), targets()), {"optimizer": "adam", "samples": 9},
        "the optimizer is 'adam', of type str - pass one of gradmote.optimizers",
    ),
    "unfitted step": (
        lambda: make_pipeline(StandardScaler(), fitted(Ridge(), targets())), {},
        "the step 'standardscaler' (StandardScaler) is not fitted",
    ),
    "empty": (lambda: make_pipeline("passthrough"), {}, "the pipeline has no steps - end it with a predictor"),
    "no predictor": (
        lambda: fitted(make_pipeline(StandardScaler()), targets()), {},
        "StandardScaler is not taken as an estimator, or as the last step - use one of MLPClassifier, ",
    ),
    "another": (lambda: fitted(RidgeClassifier(), classes(2)), {}, "RidgeClassifier is not taken"),
    "search": (
        lambda: fitted(GridSearchCV(Ridge(), {"alpha": [1.0]}), targets()), {},
        "GridSearchCV is a search - pass its best_estimator_",
    ),
    "function": (
        lambda: fitted(make_pipeline(FunctionTransformer(np.abs), Ridge()), targets()), {},
        "the step 'functiontransformer' (FunctionTransformer) is not taken - apply it to the data before, or use",
    ),
    "kernel": (
        lambda: fitted(make_pipeline(KernelPCA(2), Ridge()), targets()), {}, "the step 'kernelpca' (KernelPCA) is not",
    ),
    "sparse": (sparse, {}, "the coef_ of SGDClassifier is sparse - call densify() first"),
    "several labels": (two_labels, {}, "MLPClassifier with 2 labels for each sample is not taken"),
    "one class": (
        lambda: fitted(mlp(MLPClassifier), classes(1)), {}, "the classifier has seen a single class, 'ash'",
    ),
    "averaged": (
        lambda: fitted(SGDRegressor(average=True, **CONSTANT), targets()), {},
        "SGDRegressor with average=True: its coefficients are averages - fit it without",
    ),
    "positive": (lambda: fitted(Ridge(positive=True), targets()), {}, "Ridge with positive=True"),
    "hinge": (
        lambda: fitted(SGDClassifier(**CONSTANT), classes(2)), {},
        "SGDClassifier with loss='hinge', which Gradmote lacks - pass another as loss=, or fit it with loss='log_loss'",
    ),
    "huber": (lambda: fitted(SGDRegressor("huber", **CONSTANT), targets()), {}, "SGDRegressor with loss='huber'"),
    "changing rate": (
        lambda: fitted(SGDClassifier("log_loss"), classes(2)), {},
        "SGDClassifier with learning_rate='optimal', which changes the rate its own way - pass optimizer=",
    ),
    "changing rate of an mlp": (
        lambda: fitted(mlp(MLPClassifier, solver="sgd", learning_rate="adaptive"), classes(2)), {},
        "MLPClassifier with learning_rate='adaptive'",
    ),
    "weights of classes": (
        lambda: fitted(LogisticRegression(class_weight="balanced"), classes(2)), {"samples": SAMPLES},
        "LogisticRegression with class_weight='balanced': the loss here has no such weights - pass loss=",
    ),
    "l1": (
        lambda: fitted(SGDRegressor(penalty="l1", **CONSTANT), targets()), {},
        "SGDRegressor with an l1 penalty, which is not taken - penalty=False leaves it out",
    ),
    "elastic net": (
        lambda: fitted(LogisticRegression(l1_ratio=0.5, solver="saga"), classes(2)), {"samples": SAMPLES},
        "LogisticRegression with an elasticnet penalty",
    ),
    "penalty of the set": (
        lambda: fitted(LogisticRegression(), classes(2)), {},
        "LogisticRegression has C=1.0, which counts beside the sum of the losses of all samples - pass samples=",
    ),
    "penalties": (
        lambda: fitted(Ridge([1.0, 2.0]), targets(2)), {"samples": SAMPLES}, "Ridge with an alpha for each target",
    ),
    "two decays": (
        lambda: fitted(mlp(MLPClassifier), classes(3)), {"optimizer": optimizers.adamw()},
        "the estimator has an L2 penalty, and the optimizer adamw a weight decay of its own - pass penalty=False",
    ),
    "open update": (
        lambda: fitted(mlp(MLPClassifier), classes(3)), {"accumulate": True}, "MLPClassifier divides alpha by",
    ),
    "no names": (lambda: fitted(LinearRegression(), targets()), {"strip_names": True}, "an image without names"),
    "nan": (
        lambda: fitted(make_pipeline(SimpleImputer(), LinearRegression()), targets()), {},
        "the step 'simpleimputer' (SimpleImputer) replaces missing_values=nan, but training takes finite inputs alone",
    ),
    "indicator": (
        lambda: fitted(make_pipeline(SimpleImputer(missing_values=-1, add_indicator=True), Ridge()), targets()), {},
        "has add_indicator=True",
    ),
    "dropped": (lambda: with_hole(SimpleImputer(missing_values=-1)), {}, "drops feature 2, which had no values"),
    "infinite": (
        lambda: scaled_by_nan(), {}, "the step 'standardscaler' (StandardScaler) has NaN or infinite numbers in scale_",
    ),
    "intercept of its own": (
        lambda: with_intercept(), {}, "LinearRegression has fit_intercept=False and an intercept other than 0",
    ),
}  # fmt: skip


def scaled_by_nan() -> Any:
    made = fitted(make_pipeline(StandardScaler(), LinearRegression()), targets())
    made[0].scale_[1] = np.nan
    return made


def with_intercept() -> Any:
    made = fitted(LinearRegression(fit_intercept=False), targets())
    made.intercept_ = 1.0
    return made


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_taken_is_said(name: str) -> None:
    make, arguments, message = REFUSED[name]
    with pytest.raises(ModelError) as refused:
        front.compile(make(), **arguments)
    assert message in str(refused.value)


def test_what_the_estimator_has_can_be_left_out() -> None:
    """A loss, an optimizer and penalty=False replace what is refused."""
    model = fitted(SGDClassifier("hinge", penalty="l1"), classes(2))
    made = front.compile(model, losses.bce_with_logits(), optimizers.adamw(0.01), penalty=False, batch=BATCH)
    with made.session() as session:
        first, *_, last = [np.mean(an_epoch(session, features(), made.labels(classes(2)))) for _ in range(5)]
    assert last < first


def test_another_estimator_is_refused() -> None:
    model = fitted(make_pipeline(StandardScaler(), Ridge()), targets())
    made = front.compile(model, penalty=False)
    other = make_pipeline(StandardScaler(), Ridge()).fit(features() + 1, targets())
    with pytest.raises(ModelError, match="this estimator differs from the compiled one in standardscaler.mean_"):
        made.checkpoint(other)
    wider = fitted(make_pipeline(StandardScaler(), Ridge()), targets(2))
    with made.session() as session, pytest.raises(ModelError, match="differs from the compiled one in coef_"):
        made.update(wider, session)
    with front.compile(wider, penalty=False).session() as session:
        saved = session.save()
    with pytest.raises(CheckpointError, match="the checkpoint belongs to another model"):
        made.update(model, saved)


def test_a_checkpoint_file(tmp_path) -> None:
    model = fitted(LinearRegression(), targets())
    made = front.compile(model, optimizer=optimizers.sgd(1e-3))
    with made.session() as session:
        session.step(features()[:1].astype(np.float32), made.labels(targets()[:1]))
        (tmp_path / "learned.gmck").write_bytes(session.save())
        expected = np.array(session.parameter("coef_")).ravel()
    made.update(model, tmp_path / "learned.gmck")
    np.testing.assert_array_equal(model.coef_, expected)
    assert isinstance(model.intercept_, np.float64)


def test_the_guide(capsys) -> None:
    """Its program prints what the page shows, to a digit that processors may differ in."""
    page = (Path(__file__).parents[3] / "docs" / "guides" / "scikit-learn.md").read_text()
    program, shown = re.findall(r"^```(?:python)?\n(.*?)^```$", page, re.M | re.S)[:2]
    exec(compile(program, "docs/guides/scikit-learn.md", "exec"), {})
    printed, expected = (
        list(map(float, re.findall(r"[\d.]+(?=%)", text))) for text in (capsys.readouterr().out, shown)
    )
    assert printed == pytest.approx(expected, abs=2.0) and printed[1] > printed[0]
