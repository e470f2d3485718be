"""LSTM, GRU and RNN: directions, layouts, optional inputs, any subset of the outputs; PyTorch's layers."""

import io
import logging
import warnings
import zlib

import numpy as np
import onnx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import RuntimeFault, UnsupportedOperator
from gradmote.generated.opcodes import OPCODES
from gradmote_runtime import Session
from support.oracle import (
    Case,
    assert_close,
    check_case,
    examples,
    make_model,
    node,
    poisoned,
    run_ort,
    seeds,
    train,
    values,
)
from support.sampling import draws

#: 40 in the long form.
EXAMPLES = draws("recurrent_examples")
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


@pytest.mark.parametrize("op_type", GATES)
@settings(examples(EXAMPLES), max_examples=EXAMPLES)
@given(data=st.data())
def test_gradients(op_type, data):
    model, seed = data.draw(recurrent_cases(op_type))
    trained = data.draw(st.sampled_from([None, None, ["r"], ["x", "w"]]))
    case = Case(model, {}, trained, seed, reference=False)  # onnx.reference has no Scan in reverse
    check_case(case)
    attributes = {a.name: a for a in model.graph.node[0].attribute}
    if not attributes["layout"].i:  # onnxruntime knows no other
        assert_close(run_ort(model, {})["y"], case.double({})[0], 1e-5, "onnxruntime's own operator")


@pytest.mark.parametrize("op_type", GATES)
def test_data_with_a_symbolic_batch(op_type):
    """More than one tile of units; the states of both directions come from data, through a trained layer."""
    batch, steps, width, hidden, gates = 3, 3, 2, 9, GATES[op_type]
    shapes = {"w": (2, gates * hidden, width), "r": (2, gates * hidden, hidden), "b": (2, 2 * gates * hidden)}
    weights = {name: values(i, *shape) / 3 for i, (name, shape) in enumerate(shapes.items())}
    weights["scale"] = values(7, hidden)
    nodes = [
        node("Transpose", "x", "time_major", perm=[1, 0, 2]),
        node("Mul", "s scale", "states"),
        node("Transpose", "states", "h0", perm=[1, 0, 2]),
        node(op_type, "time_major w r b - h0", "out", hidden_size=hidden, direction="bidirectional"),
        node("Transpose", "out", "y", perm=[2, 0, 1, 3]),
    ]
    model = make_model(nodes, weights, {"x": ("N", steps, width), "s": ("N", 2, hidden)})
    data = {"x": values(8, batch, steps, width), "s": values(9, batch, 2, hidden)}
    check_case(Case(model, data, train=["w", "r", "b", "scale"], batch=batch, reference=False))


@pytest.mark.parametrize("opset", [13, 17, 22])
@pytest.mark.parametrize("op_type", GATES)
def test_opsets_and_outputs_as_they_are(op_type, opset):
    """All outputs are the model's own; onnxruntime runs model and training model of each opset."""
    gates, names = GATES[op_type], ["y", "last", "cell"][: 3 if op_type == "LSTM" else 2]
    weights = {"w": values(0, 2, 3 * gates, 2), "r": values(1, 2, 3 * gates, 3), "b": values(2, 2, 6 * gates)}
    attributes = {"activations": ["Relu", "Tanh"]} if op_type == "RNN" else {}
    cells = node(op_type, "x w r b", " ".join(names), hidden_size=3, direction="bidirectional", **attributes)
    model = make_model([cells], weights, {"x": (4, 2, 2)}, names, opset)
    made = build_artifacts(model, None, lambda b, y, *_: b.op("ReduceSum", y, name="loss", keepdims=0))
    x, expected = values(3, 4, 2, 2), run_ort(model, {"x": values(3, 4, 2, 2)})
    assert_close(run_ort(made.training, {"x": x})["loss"], expected["y"].sum(), 1e-5, "onnxruntime: loss")
    with Session(compile_image(made, Options(batch=4, accumulate=True)).image) as session:
        for name, output in zip(names, poisoned(session, session.infer, x), strict=True):
            assert_close(output, expected[name], 1e-5, "C runtime against onnxruntime's own operator")


# ---- what inference does not pay for -----------------------------------------------------------------------------


def instruction(program, opcode):
    return next(i for i in program.instructions if i.opcode == opcode)


@pytest.mark.parametrize(("used", "kept"), [("y", 1), ("h", 0), ("c", 0)])
def test_inference_keeps_the_states_that_are_read(used, kept):
    weights = {"w": values(0, 1, 12, 2), "r": values(1, 1, 12, 3)}
    model = recurrent_model("LSTM", weights, used, 2, {"hidden_size": 3}, {"x": (4, 2, 2)})
    made = build_artifacts(model, None, lambda b, y: b.op("ReduceSum", y, name="loss", keepdims=0), optimizers.sgd(0.1))
    infer, _, step = compile_image(made, Options(batch=4)).compiled.programs
    cells = instruction(infer, "LSTM_CELLS")
    assert (cells.params["h_step"] > 0, cells.params["c_step"] > 0) == (kept, False)
    assert cells.operands["gates"] == cells.operands["z"] and cells.operands["h0"] is None
    saved = instruction(step, "LSTM_CELLS")
    assert saved.params["h_step"] == saved.params["c_step"] == 6
    assert instruction(step, "LSTM_CELLS_GRAD").operands["dz"] == saved.operands["z"]


def with_stride(image, opcode, name, stride):
    """The image with another stride in its first instruction of that opcode, sealed again."""
    spec, words = OPCODES[opcode], np.frombuffer(image, np.uint32).copy()
    length = 1 + len(spec["operands"]) + len(spec["params"])
    at = int(np.flatnonzero(words == (spec["code"] | length << 16))[0])
    words[at + 1 + len(spec["operands"]) + list(spec["params"]).index(name)] = stride
    words[3] = zlib.crc32(words.tobytes()[16:])
    return words.tobytes()


@pytest.mark.parametrize(
    ("opcode", "strides"), {"LSTM_CELLS": "h_step c_step", "LSTM_CELLS_GRAD": "dy_step c_step"}.items()
)
def test_states_outside_of_the_arena_are_refused(opcode, strides):
    weights = {"w": values(0, 1, 12, 2), "r": values(1, 1, 12, 3)}
    model = recurrent_model("LSTM", weights, "y", 2, {"hidden_size": 3}, {"x": (4, 2, 2)})
    made = build_artifacts(model, None, lambda b, y: b.op("ReduceSum", y, name="loss", keepdims=0), optimizers.sgd(0.1))
    result = compile_image(made, Options(batch=4))
    for name in strides.split():
        with pytest.raises(RuntimeFault, match="BAD_OPERAND"):
            Session(with_stride(result.image, opcode, name, result.layout.arena_size // 4))


# ---- PyTorch -------------------------------------------------------------------------------------------------------

BATCH, STEPS, WIDTH, HIDDEN, CLASSES = 4, 6, 3, 5, 3


class Classifier(torch.nn.Module):
    """A recurrent layer, batch first, and a linear layer on its last output."""

    def __init__(self, cell, **options):
        super().__init__()
        self.cell = cell(WIDTH, HIDDEN, batch_first=True, **options)
        self.head = torch.nn.Linear(HIDDEN * (2 if options.get("bidirectional") else 1), CLASSES)

    def forward(self, x):
        return self.head(self.cell(x)[0][:, -1])


NETWORKS = {
    "lstm": lambda: Classifier(torch.nn.LSTM),
    "stacked": lambda: Classifier(torch.nn.LSTM, num_layers=2, bidirectional=True),
    "gru": lambda: Classifier(torch.nn.GRU, bidirectional=True),
    "rnn": lambda: Classifier(torch.nn.RNN, nonlinearity="relu", num_layers=2),
}


def exported(network, dynamo, dynamic):
    """Return the model that torch.onnx.export writes, without its warnings and log."""
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    file, options = io.BytesIO(), {"verbose": False} if dynamo else {}
    if dynamic:
        options |= {"dynamic_shapes": ({0: torch.export.Dim("N")},)} if dynamo else {"dynamic_axes": {"x": {0: "N"}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = (torch.zeros(BATCH, STEPS, WIDTH),)
        torch.onnx.export(network, data, file, dynamo=dynamo, input_names=["x"], output_names=["y"], **options)
    return onnx.load_model_from_string(file.getvalue())


def batches(count):
    rng = np.random.default_rng(5)
    for _ in range(count):
        yield rng.normal(0, 1, (BATCH, STEPS, WIDTH)).astype(np.float32), rng.integers(0, CLASSES, BATCH)


def torch_curve(network, count, rate):
    """Losses before each SGD step, in float64."""
    network = network.double()
    optimizer, curve = torch.optim.SGD(network.parameters(), rate, momentum=0.9), []
    for x, y in batches(count):
        loss = torch.nn.functional.cross_entropy(network(torch.from_numpy(x).double()), torch.from_numpy(y))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
    return curve


def check_curve(name, dynamo, dynamic, steps, rate=0.2):
    torch.manual_seed(0)
    network = NETWORKS[name]()
    made = build_artifacts(
        exported(network.eval(), dynamo, dynamic), None, losses.cross_entropy(), optimizers.sgd(rate, momentum=0.9)
    )
    assert sum(p.size for p in made.parameters.values()) == sum(p.numel() for p in network.parameters())
    curve, session = train(compile_image(made, Options(batch=BATCH)).image, list(batches(steps)), "strict")
    session.close()
    np.testing.assert_allclose(curve, torch_curve(network, steps, rate), rtol=1e-4)


@pytest.mark.parametrize(("dynamo", "dynamic"), [(False, True), (True, True), (True, False)])
def test_stacked_bidirectional_lstm(dynamo, dynamic):
    check_curve("stacked", dynamo, dynamic, 5)


@pytest.mark.parametrize("name", ["gru", "rnn"])
def test_other_layers(name):
    check_curve(name, False, False, 5)


def test_50_steps():
    check_curve("lstm", False, True, 50)


# ---- refusals ------------------------------------------------------------------------------------------------------


def attempt(attributes=None, lens=None, shape=(4, "N", 2), op_type="LSTM"):
    gates = GATES[op_type]
    weights = {"w": values(0, 1, 3 * gates, 2), "r": values(1, 1, 3 * gates, 3)}
    inputs = "x w r - lens" if lens is not None else "x w r"
    nodes = [node(op_type, inputs, "y last", hidden_size=3, **attributes or {})]
    if isinstance(lens, list):
        weights["lens"] = np.array(lens, np.int32)
    model = make_model(nodes, weights, {"x": shape})
    if lens == "data":
        model.graph.input.append(onnx.helper.make_tensor_value_info("lens", onnx.TensorProto.INT32, [2]))
    return build_artifacts(model, None, lambda b, y: b.op("ReduceSum", y, name="loss", keepdims=0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"attributes": {"clip": 1.0}}, "LSTM with clip"),
        ({"attributes": {"activations": ["Sigmoid", "Relu", "Tanh"]}}, "LSTM with activations Sigmoid, Relu, Tanh"),
        ({"attributes": {"activations": ["Softsign"]}, "op_type": "RNN"}, "use Tanh or Relu"),
        ({"lens": [4, 5]}, "LSTM with sequence_lens"),
        ({"lens": "data"}, "LSTM with computed sequence_lens"),
        ({"shape": ("T", "N", 2)}, "length is not fixed"),
        ({"attributes": {"direction": "backward"}}, "LSTM with direction backward"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(UnsupportedOperator, match=message):
        attempt(**arguments)


def test_full_sequence_lens_and_explicit_defaults_are_accepted():
    attempt({"activations": ["sigmoid", "tanh", "tanh"]}, [4, 4])
    attempt({"activations": ["Relu"]}, op_type="RNN")


def test_inference_artifacts_stay_plain_onnx():
    made = attempt()
    assert [n.op_type for n in made.inference.graph.node] == ["LSTM"] and not made.inference.functions
    assert "LSTM" not in [n.op_type for n in made.training.graph.node]
