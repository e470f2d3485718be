"""An object that is not a loss ended in a TypeError from inside: 'str' object is not callable."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradmote import losses
from gradmote.artifacts import LossType, build_artifacts, generate_artifacts
from gradmote.errors import ModelError
from support.oracle import make_model, node, values

MODEL = make_model([node("MatMul", "x w", "y")], {"w": values(1, 4, 3)}, {"x": ("N", 4)})


def mean_of(op):
    def loss(builder, y):
        return builder.op("ReduceMean", builder.op(op, y, name="h"), name="loss", keepdims=0)

    return loss


WRONG = {
    "a name": ("mse", r"the loss is 'mse', of type str - call what makes it: losses.mse\(\)"),
    "another name": ("huber", "the loss is 'huber', of type str, not a function - .*CUSTOM_LOSSES.md"),
    "a number": (3, "the loss is 3, of type int, not a function"),
    "what makes a loss": (losses.mse, r"the loss is the function mse - call what makes it: losses.mse\(\)"),
    "a class": (torch.nn.MSELoss, "the loss is the class MSELoss, not a function"),
    "a module": (torch.nn.MSELoss(), r"the loss is MSELoss\(\), of type MSELoss, which computes with tensors"),
    "onnxruntime's name": (LossType.MSELoss, "of type LossType, not a function"),
    "returns nothing": (lambda builder, y: None, "the loss returned None, not a value"),
    "returns a number": (lambda builder, y: 0.5, "the loss returned 0.5, of type float, not a value"),
    "returns a pair": (lambda builder, y: (y, y), "of type tuple, not a value"),
    "returns a function": (lambda builder, y: losses.mse(), "the loss returned the function loss, not a value"),
    "raises": (lambda builder, y: 1 / 0, "the loss raised ZeroDivisionError: division by zero"),
    "numbers as values": (lambda builder, y: builder.op("Mul", y, 2.0, name="z"), "the loss raised|no value"),
    "another arity": (lambda builder, a, b: a, "does not take 1 outputs"),
    "no such operator": (mean_of("Squared"), "node 'h.Squared': the loss has the operator 'Squared'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_it_is_said_what_is_wrong(name):
    loss, message = WRONG[name]
    with pytest.raises(ModelError, match=message):
        build_artifacts(MODEL, loss=loss)


def test_in_onnxruntimes_signature(tmp_path):
    with pytest.raises(ModelError, match="the loss is 'mse'"):
        generate_artifacts(MODEL, ["w"], loss="mse", artifact_directory=tmp_path)
    generate_artifacts(MODEL, ["w"], loss=LossType.MSELoss, artifact_directory=tmp_path)


@given(st.one_of(st.integers(), st.text(), st.lists(st.integers()), st.booleans(), st.floats(), st.binary()))
def test_no_object_comes_through(thing):
    with pytest.raises(ModelError, match="the loss is "):
        build_artifacts(MODEL, loss=thing)
    with pytest.raises(ModelError, match="the loss returned "):
        build_artifacts(MODEL, loss=lambda builder, y: thing)
