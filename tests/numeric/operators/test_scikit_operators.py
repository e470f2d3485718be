"""The operators of ai.onnx.ml that skl2onnx writes, against onnxruntime, which has them; and their way back."""

from __future__ import annotations

import warnings

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper
from skl2onnx import to_onnx
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from unit.frontend.round_trip import classes, noise, served

from gradmote import compile_model, losses, optimizers
from gradmote.artifacts.export import trained_model
from gradmote.errors import ModelError, UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import values

ML = "ai.onnx.ml"
X = noise(6, 5)


def of(*nodes: onnx.NodeProto) -> onnx.ModelProto:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, None])]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(ML, 3)]
    return helper.make_model(helper.make_graph(list(nodes), "g", [x], made), opset_imports=opsets, ir_version=8)


def node(op_type: str, *outputs: str, name: str = "", **attributes) -> onnx.NodeProto:
    return helper.make_node(op_type, ["x"], list(outputs), name=name, domain=ML, **attributes)


def infers_as_onnxruntime(proto: onnx.ModelProto, x: np.ndarray) -> None:
    with Session(compile_model(proto, batch=len(x)).image) as session:
        np.testing.assert_allclose(np.array(session.infer(x)[0]), served(proto, x), rtol=1e-5, atol=1e-6)


def trains_and_goes_back(proto: onnx.ModelProto, names: list[str], output: str = "y") -> onnx.ModelProto:
    """Train all weights, and return the trained model, which computes in onnxruntime what the image does."""
    x, which = values(1, 6, 4), [o.name for o in proto.graph.output].index(output)
    made = compile_model(proto, losses.mse(), optimizers.sgd(0.3), batch=6, outputs=[output], check=True)
    with Session(made.image) as session:
        assert session.parameter_names() == names
        before = np.array(session.infer(x)[0])
        session.step(x, values(2, *before.shape))
        after = np.array(session.infer(x)[0])
        learned = trained_model(proto, session.save())
    assert np.abs(after - before).max() > 1e-3
    np.testing.assert_allclose(served(learned, x, which), after, rtol=1e-5, atol=1e-6)
    assert [n.op_type for n in learned.graph.node] == [n.op_type for n in proto.graph.node]
    return learned


# ---- Drawn models


@given(st.sampled_from(["NONE", "SOFTMAX", "LOGISTIC"]), st.integers(2, 4), st.integers(0, 99), st.booleans())
def test_linear_classifiers(transform, rows, seed, named):
    labels = {"classlabels_strings": list("abcd"[:rows])} if named else {"classlabels_ints": list(range(rows))}
    w, b = values(seed, rows, 4), values(seed + 1, rows)
    attributes = {"coefficients": w.ravel(), "intercepts": b, "post_transform": transform, **labels}
    infers_as_onnxruntime(of(node("LinearClassifier", "label", "y", **attributes)), values(3, 5, 4))


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC"])
def test_two_classes_are_one_trained_row(transform):
    w, b = values(1, 4), values(2, 1)
    rows = {"coefficients": [*-w, *w], "intercepts": [*-b, *b], "classlabels_ints": [0, 1]}
    proto = of(node("LinearClassifier", "label", "y", name="two", post_transform=transform, **rows))
    infers_as_onnxruntime(proto, values(3, 5, 4))
    learned = trains_and_goes_back(proto, ["two.coefficients", "two.intercepts"])
    trained = {a.name: np.array(a.floats) for a in learned.graph.node[0].attribute}
    np.testing.assert_array_equal(trained["coefficients"][:4], -trained["coefficients"][4:])
    np.testing.assert_array_equal(trained["intercepts"][:1], -trained["intercepts"][1:])


@given(st.integers(1, 3), st.integers(0, 99), st.booleans())
def test_linear_regressors(rows, seed, biased):
    more = {"intercepts": values(seed, rows)} if biased else {}
    proto = of(node("LinearRegressor", "y", coefficients=values(seed, rows * 4), targets=rows, **more))
    infers_as_onnxruntime(proto, values(3, 5, 4))


def test_a_regressor_trains_under_its_own_names():
    both = {"coefficients": values(1, 8), "intercepts": values(2, 2), "targets": 2}
    trains_and_goes_back(
        of(node("LinearRegressor", "y", name="ridge", **both)), ["ridge.coefficients", "ridge.intercepts"]
    )
    del both["intercepts"]
    trains_and_goes_back(of(node("LinearRegressor", "y", **both)), ["y.coefficients"])


def test_a_scheme_trains_one_row_of_a_classifier():
    w = {"coefficients": values(1, 12), "intercepts": values(2, 3), "classlabels_ints": [0, 1, 2]}
    proto = of(node("LinearClassifier", "label", "y", name="k", **w))
    made = compile_model(proto, losses.mse(), optimizers.sgd(0.3), batch=6, train=["k.intercepts"])
    with Session(made.image) as session:
        session.step(values(1, 6, 4), values(2, 6, 3))
        learned = trained_model(proto, session.save())
    before, after = ({a.name: list(a.floats) for a in p.graph.node[0].attribute} for p in (proto, learned))
    assert before["coefficients"] == after["coefficients"] and before["intercepts"] != after["intercepts"]


@pytest.mark.parametrize("norm", ["L1", "L2", "MAX"])
def test_normalizer(norm):
    x = values(1, 5, 4)
    x[1] = 0
    infers_as_onnxruntime(of(node("Normalizer", "y", norm=norm)), x)


def test_imputer():
    x = values(1, 5, 4)
    x[0, 1] = x[3] = np.nan
    infers_as_onnxruntime(
        of(node("Imputer", "y", imputed_value_floats=[1.0, 2.0, 3.0, 4.0], replaced_value_float=np.nan)), x
    )
    x = np.nan_to_num(x, nan=-1)
    infers_as_onnxruntime(of(node("Imputer", "y", imputed_value_floats=[0.5], replaced_value_float=-1.0)), x)


# ---- skl2onnx


def fitted(model, target: np.ndarray):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(noise(60, 5, seed=1), target)


@pytest.mark.parametrize("count", [2, 3])
def test_logistic_regression_in_a_pipeline(count, tmp_path):
    steps = SimpleImputer(), StandardScaler(), Normalizer(), LogisticRegression(max_iter=2)
    model = fitted(make_pipeline(*steps), classes(noise(60, 5, seed=1), count))
    proto = to_onnx(model, X, options={"zipmap": False})
    made = compile_model(proto, losses.cross_entropy(through_softmax=True), optimizers.sgd(0.5, momentum=0.9), batch=6,
                         outputs=["probabilities"], check=True)  # fmt: skip
    with Session(made.image) as session:
        assert session.parameter_names() == ["LinearClassifier.coefficients", "LinearClassifier.intercepts"]
        losses_of = [session.step(X, classes(X, count, 3)) for _ in range(30)]
        assert losses_of[-1] < 0.8 * losses_of[0]
        learned = trained_model(proto, session.save())
        np.testing.assert_allclose(np.array(session.infer(X)[0]), served(learned, X, 1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(), MultiOutputRegressor(Ridge())], ids=str)
def test_regressors(model):
    proto = to_onnx(fitted(model, noise(60, 2)), X)
    made = compile_model(proto, losses.mse(), optimizers.sgd(0.1), batch=6, check=True)
    with Session(made.image) as session:
        session.step(X, noise(6, 2))
        learned = trained_model(proto, session.save())
        np.testing.assert_allclose(np.array(session.infer(X)[0]), served(learned, X), rtol=1e-5, atol=1e-6)


def test_names_of_classes_go_into_the_image():
    names = np.array(["cat", "dog", "owl"])
    model = fitted(RidgeClassifier(), classes(noise(60, 5, seed=1), 3))
    model = fitted(LogisticRegression(), names[classes(noise(60, 5, seed=1), 3)])
    proto = to_onnx(model, X, options={"zipmap": False})
    made = compile_model(proto, batch=1, outputs=["probabilities"])
    assert list(made.compiled.classes) == ["cat", "dog", "owl"]


# ---- Refusals


@pytest.mark.parametrize(
    ("op_type", "attributes", "message"),
    [
        ("LinearClassifier", {"post_transform": "PROBIT"}, "LinearClassifier with post_transform PROBIT"),
        ("LinearClassifier", {"coefficients": [1.0] * 4, "intercepts": [0.0]}, "4 coefficients and 1 intercepts for 2"),
        ("LinearRegressor", {"post_transform": "LOGISTIC"}, "LinearRegressor with post_transform LOGISTIC"),
    ],
)
def test_refusals(op_type, attributes, message):
    given_too = {"classlabels_ints": [0, 1]} if op_type == "LinearClassifier" else {}
    own = {"coefficients": [1.0] * 8, "intercepts": [0.0, 0.0], **given_too, **attributes}
    outputs = ("label", "y") if given_too else ("y",)
    with pytest.raises(UnsupportedOperator, match=message):
        compile_model(of(node(op_type, *outputs, **own)), batch=1)


def test_no_export_table_for_weights_in_attributes():
    from gradmote.artifacts.export_table import export_table

    proto = of(node("LinearRegressor", "y", coefficients=values(1, 4), intercepts=values(2, 1)))
    made = compile_model(proto, losses.mse(), optimizers.sgd(0.1), batch=1)
    with pytest.raises(ModelError, match="no export table"):
        export_table(proto, made.image)
