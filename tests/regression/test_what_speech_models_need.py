"""Forms of operators in models of speech and of files: comparisons of integers and truth values, Clip to computed
bounds, sequences of several lengths, outputs of 8 bits."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from gradmote import onnx_backend
from gradmote.errors import UnsupportedOperator
from support.oracle import (
    Case,
    DoubleModel,
    check_against_differences,
    check_case,
    examples,
    make_model,
    node,
    run_ort,
    values,
)

FLOAT, INT32, INT64, BOOL, UINT8 = (getattr(TensorProto, n) for n in ("FLOAT", "INT32", "INT64", "BOOL", "UINT8"))
COMPARISONS = ["Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"]
NUMPY = {INT32: np.int32, INT64: np.int64, BOOL: np.bool_, FLOAT: np.float32, UINT8: np.uint8}


def model(nodes, inputs, output_type, constants=None) -> onnx.ModelProto:
    """y of a type, from inputs (type, shape)."""
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info(name, type_, shape) for name, (type_, shape) in inputs.items()],
        [helper.make_tensor_value_info("y", output_type, None)],
        [numpy_helper.from_array(np.asarray(a), name) for name, a in (constants or {}).items()],
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    return onnx.shape_inference.infer_shapes(made)


def same_as_onnxruntime(proto: onnx.ModelProto, **feeds: np.ndarray) -> None:
    (y,) = onnx_backend.run_model(proto, feeds)
    expected = run_ort(proto, feeds)["y"]
    assert y.dtype == expected.dtype
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


# ---- Integers and truth values


@pytest.mark.parametrize("op_type", COMPARISONS)
@pytest.mark.parametrize("type_", [INT32, INT64])
@pytest.mark.parametrize("constant_first", [False, True])
def test_integers_are_compared_with_constants(op_type, type_, constant_first):
    known = np.array([[-(1 << 24) + 1, -3, 0, 4, (1 << 24) - 1]], NUMPY[type_])
    big = np.iinfo(np.int32)
    x = np.array([[-(1 << 24)], [-3], [0], [4], [1 << 24], [(1 << 24) + 1], [big.max], [big.min]], NUMPY[type_])
    inputs = "k x" if constant_first else "x k"
    same_as_onnxruntime(model([node(op_type, inputs, "y")], {"x": (type_, x.shape)}, BOOL, {"k": known}), x=x)


def test_integers_that_repeat_are_converted_once():
    """The model is like magika: tokens as one hot."""
    nodes = [
        node("Unsqueeze", "x last", "column"), node("Expand", "column shape", "wide"), node("Equal", "wide range", "c"),
        node("Cast", "c", "one_hot", to=FLOAT), node("MatMul", "one_hot w", "y"),
    ]  # fmt: skip
    constants = {"last": [-1], "shape": [2, 4, 5], "range": np.arange(5, dtype=np.int32), "w": values(1, 5, 3)}
    tokens = np.array([[0, 4, 2, 1], [3, 3, 9, -1]], np.int32)
    same_as_onnxruntime(model(nodes, {"x": (INT32, [2, 4])}, FLOAT, constants), x=tokens)


def test_integers_of_which_none_is_known_are_not_compared():
    proto = model([node("Equal", "a b", "y")], {"a": (INT64, [3]), "b": (INT64, [3])}, BOOL)
    with pytest.raises(UnsupportedOperator, match="Equal of integers, none of them known"):
        onnx_backend.run_model(proto, [np.arange(3), np.arange(3)])
    proto = model([node("Equal", "a b", "y")], {"a": (INT64, [3])}, BOOL, {"b": np.array([1 << 24])})
    with pytest.raises(UnsupportedOperator, match="Equal of integers, none of them known"):
        onnx_backend.run_model(proto, [np.arange(3)])


def test_truth_values_are_compared():
    a, b = np.array([[True], [False]]), np.array([True, False])
    same_as_onnxruntime(model([node("Equal", "a b", "y")], {"a": (BOOL, [2, 1]), "b": (BOOL, [2])}, BOOL), a=a, b=b)


CASTS = [(a, b) for a in (FLOAT, INT32, INT64, BOOL) for b in (FLOAT, INT32, INT64, BOOL, UINT8) if a != b]


@pytest.mark.parametrize("source, target", CASTS)
def test_casts(source, target):
    x = np.array([0, 1, 2, 200, 7], NUMPY[source])
    proto = model([node("Cast", "x", "y", to=target)], {"x": (source, [5])}, target)
    same_as_onnxruntime(proto, x=x)


def test_casts_of_fractions_and_views():
    nodes = [node("Transpose", "x", "t"), node("Cast", "t", "i", to=INT64), node("Cast", "i", "y", to=FLOAT)]
    same_as_onnxruntime(
        model(nodes, {"x": (FLOAT, [2, 3])}, FLOAT), x=np.array([[-1.5, 2.9, 0], [3, -0.1, 1e6]], np.float32)
    )


# ---- Clip


@pytest.mark.parametrize("bounds", ["low high", "low -", "- high", "low four", "zero high"])
def test_clip_to_what_is_computed(bounds):
    nodes = [
        node("Mul", "x w", "h"),
        node("ReduceMean", "x", "mean", keepdims=0),
        node("Sub", "mean four", "low"),
        node("Add", "mean half", "high"),
        node("Clip", f"h {bounds}", "y"),
    ]
    constants = {"w": values(1, 3, 4), "four": np.float32(4), "zero": np.float32(-0.1), "half": np.float32(0.5)}
    proto = make_model(nodes, constants, {"x": (2, 3, 4)}, opset=17)
    same_as_onnxruntime(proto, x=values(2, 2, 3, 4))
    check_case(Case(proto, {"x": values(2, 2, 3, 4)}, ["w"], batch=2))


# ---- Sequences of several lengths


@st.composite
def recurrent(draw):
    op_type = draw(st.sampled_from(["LSTM", "GRU", "RNN"]))
    direction = draw(st.sampled_from(["forward", "reverse", "bidirectional"]))
    steps, batch = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    lengths = draw(st.lists(st.integers(1, steps), min_size=batch, max_size=batch))
    return op_type, direction, steps, lengths, draw(st.booleans()), draw(st.integers(0, 2))


def recurrent_model(op_type, direction, steps, lengths, with_state, output) -> onnx.ModelProto:
    """y is Y, Y_h or, of an LSTM, Y_c. lengths: None for one sequence of all steps."""
    gates, ways, hidden = {"LSTM": 4, "GRU": 3, "RNN": 1}[op_type], 1 + (direction == "bidirectional"), 3
    batch = len(lengths or [steps])
    outputs = ["Y", "Y_h", *(["Y_c"] if op_type == "LSTM" else [])]
    outputs[min(output, len(outputs) - 1)] = "y"
    weights = {
        "W": values(1, ways, gates * hidden, 2), "R": values(2, ways, gates * hidden, hidden),
        "B": values(3, ways, 2 * gates * hidden),
        **({"lens": np.array(lengths, np.int32)} if lengths else {}),
        **({"h0": values(4, ways, batch, hidden)} if with_state else {}),
    }  # fmt: skip
    inputs = f"x W R B {'lens' if lengths else '-'} {'h0' if with_state else '-'}"
    made = node(op_type, inputs, " ".join(outputs), hidden_size=hidden, direction=direction)
    return make_model([made], weights, {"x": (steps, batch, 2)}, opset=17)


@examples(40)
@given(recurrent())
def test_each_sequence_ends_where_it_ends(case):
    _, _, steps, lengths, _, _ = case
    same_as_onnxruntime(recurrent_model(*case), x=values(5, steps, len(lengths), 2))


@pytest.mark.parametrize("op_type", ["LSTM", "GRU", "RNN"])
def test_their_gradients(op_type):
    """The gradients are those of each sequence by itself, cut to its length, in float64."""
    lengths, x, factors = [2, 3, 2], values(5, 3, 3, 2), values(6, 3, 2, 3, 3)
    alone = {n: DoubleModel(recurrent_model(op_type, "bidirectional", n, None, False, 0)) for n in set(lengths)}

    def loss(weights):
        of_each = [alone[n]({"x": x[:n, b : b + 1], **weights})[0] for b, n in enumerate(lengths)]
        return sum(float((y[:, :, 0] * factors[: len(y), :, b]).sum()) for b, y in enumerate(of_each))

    proto = recurrent_model(op_type, "bidirectional", 3, lengths, False, 0)
    check_against_differences(proto, {"x": x}, factors, ["W", "R"], loss)


@pytest.mark.parametrize("lengths", [[0, 2], [3, 4]])
def test_lengths_that_the_sequence_does_not_have(lengths):
    with pytest.raises(UnsupportedOperator, match="sequence_lens .* of 3 steps"):
        onnx_backend.run_model(recurrent_model("GRU", "forward", 3, lengths, False, 0), [values(5, 3, 2, 2)])
