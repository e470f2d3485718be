"""Softmax and LogSoftmax along any axis."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote_runtime import Session
from support.oracle import Case, check_case, compile_twice, examples, make_model, node, seeds, shapes, values


@pytest.mark.parametrize("op_type", ["Softmax", "LogSoftmax"])
@examples(16)
@given(data=st.data(), shape=shapes(1, 4), seed=seeds)
def test_any_axis(op_type, data, shape, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    model = make_model([node(op_type, "w", "y", axis=axis)], {"w": values(seed, *shape)})
    check_case(Case(model, seed=seed))


@pytest.mark.parametrize("op_type", ["Softmax", "LogSoftmax"])
def test_last_axis_by_default(op_type):
    check_case(Case(make_model([node(op_type, "w", "y")], {"w": values(0, 3, 2, 4)})))


@pytest.mark.filterwarnings("ignore:divide by zero")  # the naive reference's own
@pytest.mark.parametrize("op_type, expected", [("Softmax", [0.5, 0.5, 0.0]), ("LogSoftmax", None)])
def test_large_scores_stay_finite(op_type, expected, profile):
    scores = np.array([[1e4, 1e4, -1e4]], np.float32)
    case = Case(make_model([node(op_type, "w", "y")], {"w": scores}))
    with Session(compile_twice(case.artifacts)[0], profile) as session:
        y = np.array(session.infer()[0])[0]
    np.testing.assert_allclose(y, expected or [-np.log(2), -np.log(2), -2e4 - np.log(2)], rtol=1e-6)
