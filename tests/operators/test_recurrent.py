"""LSTM, GRU and RNN: directions, layouts, optional inputs, any subset of the outputs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Case, assert_close, check_case, examples, make_model, node, run_ort, seeds, values

from gradmote.artifacts import build_artifacts
from gradmote.compile import compile_image
from gradmote.errors import UnsupportedOperator

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
DIRECTIONS = {"forward": 1, "reverse": 1, "bidirectional": 2}
#: Which outputs reach the loss; each is made a matrix (B, any) and joined with the others.
USED = {"LSTM": ["y", "h", "c", "yh", "yc", "hc", "yhc"], "GRU": ["y", "h", "yh"], "RNN": ["y", "h", "yh"]}


@st.composite
def recurrent_cases(draw, op_type):
    """A node whose inputs are all trained; those that are optional may be absent."""
    steps, batch, width, hidden = (draw(st.integers(1, high)) for high in (4, 3, 3, 4))
    seed, direction, layout = draw(seeds), draw(st.sampled_from(list(DIRECTIONS))), draw(st.integers(0, 1))
    count, gates = DIRECTIONS[direction], GATES[op_type]
    state = (batch, count, hidden) if layout else (count, batch, hidden)
    shapes = {
        "x": (batch, steps, width) if layout else (steps, batch, width),
        "w": (count, gates * hidden, width),
        "r": (count, gates * hidden, hidden),
        "b": (count, 2 * gates * hidden),
        "h0": state,
        "c0": state,
        "p": (count, 3 * hidden),
    }
    optional = {"LSTM": ["b", "h0", "c0", "p"], "GRU": ["b", "h0"], "RNN": ["b", "h0"]}[op_type]
    given_inputs = ["x", "w", "r", *(name for name in optional if draw(st.booleans()))]
    attributes = {"hidden_size": hidden, "direction": direction, "layout": layout}
    if op_type == "LSTM":
        attributes["input_forget"] = draw(st.integers(0, 1))
    elif op_type == "GRU":
        attributes["linear_before_reset"] = draw(st.integers(0, 1))
    elif draw(st.booleans()):
        attributes["activations"] = draw(st.lists(st.sampled_from(["Tanh", "Relu"]), min_size=count, max_size=count))
    weights = {name: values(seed + i, *shapes[name]) / 2 for i, name in enumerate(given_inputs)}
    return recurrent_model(op_type, weights, draw(st.sampled_from(USED[op_type])), batch, attributes), seed


def recurrent_model(op_type, weights, used, batch, attributes, inputs=None):
    names = {"y": "s", "h": "sh", "c": "sc"}
    outputs = " ".join(names[o] if o in used else "-" for o in "yhc"[: 3 if op_type == "LSTM" else 2])
    slots = ["x", "w", "r", "b", "-", "h0", "c0", "p"][: 8 if op_type == "LSTM" else 6]
    feeds = " ".join(n if n in weights or n in (inputs or {}) else "-" for n in slots)
    cells = node(op_type, feeds, outputs.replace("-", "unused"), **attributes)
    cells.output[:] = ["" if o == "unused" else o for o in cells.output]
    matrices = [f"m{o}" for o in used]
    flat = [node("Reshape", f"{names[o]} flat", m) for o, m in zip(used, matrices)]
    joined = node("Concat", " ".join(matrices), "y", axis=0)
    return make_model([cells, *flat, joined], {**weights, "flat": np.array([-1], np.int64)}, inputs, opset=18)


@pytest.mark.parametrize("op_type", ["LSTM", "GRU", "RNN"])
@examples(25)
@given(data=st.data())
def test_gradients(op_type, data):
    model, seed = data.draw(recurrent_cases(op_type))
    check_case(Case(model, seed=seed, reference=False))  # onnx.reference has no Scan in reverse
