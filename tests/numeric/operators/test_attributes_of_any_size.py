"""Numeric attributes may be anything that float32 holds: an operator is refused, or makes no NaN of them."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import RuntimeFault, UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import examples, make_model, node, projection, read_gradients

#: Operator -> its opset, and the attributes that are numbers.
OPERATORS = {
    "Celu": (18, ["alpha"]),
    "Elu": (18, ["alpha"]),
    "HardSigmoid": (18, ["alpha", "beta"]),
    "LeakyRelu": (18, ["alpha"]),
    "Selu": (18, ["alpha", "gamma"]),
    "Swish": (24, ["alpha"]),
    "ThresholdedRelu": (22, ["alpha"]),
}
#: Numbers on both sides of every bend, as far as exp() and small products go.
X = np.array([-100.0, -3.0, -1.0, -1e-3, -1e-30, 0.0, 1e-30, 1e-3, 1.0, 3.0, 100.0], np.float32)
#: What ONNX's files hold: a float32 of any exponent, as often near 1 as far from it.
ANY_EXPONENT = st.builds(math.ldexp, st.floats(-1, 1, width=32), st.integers(-148, 127))
NUMBERS = ANY_EXPONENT.map(lambda number: float(np.float32(number))) | st.floats(-4, 4, width=32)


def one_node(op_type: str, numbers: dict[str, float]) -> onnx.ModelProto:
    """Return a model of one node, whose input is a weight, so that it has a gradient."""
    opset, _ = OPERATORS[op_type]
    return make_model([node(op_type, "w", "y", **numbers)], {"w": X}, opset=opset)


@pytest.mark.parametrize("op_type", OPERATORS)
@given(st.data())
@examples(60)
def test_an_operator_is_refused_or_makes_no_nan(op_type: str, data: st.DataObject) -> None:
    numbers = {name: data.draw(NUMBERS, name) for name in OPERATORS[op_type][1]}
    model = one_node(op_type, numbers)
    try:
        made = build_artifacts(model, None, projection(np.ones_like(X)), None)
        image = compile_image(made, Options(batch=None, accumulate=True)).image
    except UnsupportedOperator as refusal:
        assert op_type in str(refusal)
        return
    with Session(image, "strict") as session:
        assert not np.isnan(np.array(session.infer()[0])).any()
        with suppress(RuntimeFault):  # a result may be infinite, which a step reports
            session.train_step()
            assert np.isfinite(read_gradients(session)["w"]).all()
