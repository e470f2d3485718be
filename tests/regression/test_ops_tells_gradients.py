"""`gradmote ops` left the gradient of BatchNormalization, LSTM, GRU, LayerNormalization and Einsum blank, since passes
rewrite them; training goes through them."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pytest
from numeric.onnx_backend.suite import REFUSALS, load_cases, operator_of, training_artifacts

from gradmote import cli, losses
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import ModelError
from gradmote.operators import OPERATORS
from gradmote_runtime import Session
from support.oracle import make_model, node, values

LISTED = {op_type: operator for (domain, op_type), operator in OPERATORS.items() if not domain}
BY = {kind: sorted(name for name, op in LISTED.items() if op.trains == kind) for kind in ("yes", "zero", "no")}
#: A value that is quantized and comes back.
ROUND_TRIP = make_model(
    [
        node("Add", "x w", "h"),
        node("QuantizeLinear", "h scale zero", "q"),
        node("DequantizeLinear", "q scale zero", "y"),
    ],
    {"w": values(1, 3), "scale": np.float32(0.05), "zero": np.int8(3)},
    {"x": (2, 3)},
)
#: Models for operators whose ONNX tests have other types, or no weights.
OUR_OWN = {
    "DequantizeLinear": ROUND_TRIP,
    "QuantizeLinear": ROUND_TRIP,
    "Cast": make_model([node("Add", "x w", "h"), node("Cast", "h", "y", to=1)], {"w": values(1, 3)}, {"x": (2, 3)}),
    "Trilu": make_model([node("Add", "x w", "h"), node("Trilu", "h", "y")], {"w": values(1, 3)}, {"x": (2, 3)}),
    "ReduceLogSumExp": make_model(
        [node("Add", "x w", "h"), node("ReduceLogSumExp", "h axes", "y")],
        {"w": values(1, 3), "axes": np.array([1])}, {"x": (2, 3)},
    ),
}  # fmt: skip


def said(capsys):
    assert cli.main(["ops", "--json"]) == 0
    return {op["operator"]: op for op in json.loads(capsys.readouterr().out)["operators"] if op["domain"] == "ONNX"}


def test_what_is_listed(capsys):
    found = said(capsys)
    assert {name for name, op in found.items() if op["gradient"]} == set(BY["yes"])
    for name in ("BatchNormalization", "LSTM", "GRU", "LayerNormalization", "Einsum", "Gemm"):
        assert found[name]["gradient"] and found[name]["compiles"]
    assert found["LSTM"]["becomes"] and found["Floor"]["trains"] == "zero" and not found["Less"]["gradient"]


@pytest.fixture(scope="module")
def cases():
    """ONNX's own tests of each operator."""
    found = defaultdict(list)
    for case in load_cases():
        found[operator_of(case)].append(case)
    return found


def gradients(artifacts) -> dict[str, np.ndarray]:
    """Return the gradients that one step of the runtime accumulates, by the names of the parameters."""
    with Session(compile_image(artifacts, Options(batch=None, accumulate=True)).image) as session:
        for index, tensor in enumerate(session.inputs()):
            session.set_input(index, np.ones(tensor["shape"], np.dtype(tensor["dtype"])))
        for index, tensor in enumerate(session.labels()):
            session.set_label(index, np.full(tensor["shape"], 0.3).astype(tensor["dtype"]))
        session.run_program("train")
        return {name: np.array(session.gradient(name)) for name in session.parameter_names()}


@pytest.mark.parametrize("name", BY["yes"])
def test_what_is_listed_with_a_gradient_has_one(cases, name):
    """Through one of ONNX's own tests at least: its inputs are weights, its first output goes to a loss."""
    reported = []
    for case in cases[name]:
        try:
            found = gradients(training_artifacts(case))
        except REFUSALS as error:
            reported.append(str(error))
        else:
            assert found
            return
    assert name in OUR_OWN, f"{len(reported)} tests, none trains: {reported}"
    assert gradients(build_artifacts(OUR_OWN[name], loss=losses.mse()))["w"].any()


@pytest.mark.parametrize("name", BY["zero"])
def test_what_is_flat_lets_nothing_back(cases, name):
    for case in cases[name]:
        with pytest.raises(ModelError, match="the loss does not depend on"):
            training_artifacts(case)


@pytest.mark.parametrize("name", BY["no"])
def test_what_is_listed_without_one_is_refused(cases, name):
    for case in cases[name]:
        with pytest.raises(REFUSALS):
            training_artifacts(case)
