"""A Loop was refused, whatever it was. One whose number of iterations is known becomes its body, that many times; and
PyTorch's EmbeddingBag, which both exporters write as a Loop over the bags, one reduction of all of them."""

from __future__ import annotations

import io

import numpy as np
import onnx
import onnx.parser
import pytest
import torch
from torch import nn

from gradmote import compile_model, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, compile_image
from gradmote.errors import UnsupportedOperator
from gradmote.rewrite import unroll_loops
from gradmote_runtime import Session
from support.oracle import Case, check_case, run_ort, values

pytestmark = pytest.mark.filterwarnings("ignore")
RATE = 0.1
IDS = np.array([[3, 1, 1], [0, 4, 2]])


def parsed(inputs: str, output: str, constants: str, nodes: str) -> onnx.ModelProto:
    text = f'<ir_version: 8, opset_import: ["" : 17]> g ({inputs}) => ({output}) <{constants}> {{ {nodes} }}'
    return onnx.parser.parse_model(text)


def weights(seed: int, *shape: int) -> str:
    return "{" + ", ".join(map(str, values(seed, *shape).reshape(-1))) + "}"


#: h = tanh(h w), and each h as a row.
STEPS = """
    y, rows = Loop(n, go, x) <body: graph = step
    (int64 i, bool on, float[2,3] h) => (bool again, float[2,3] k, float[2,3] r) {
        again = Identity(on)  z = MatMul(h, w)  k = Tanh(z)  r = Identity(k)
    }>"""
#: As many steps as the counter c allows, as PyTorch's default exporter writes them; h + c each time.
WHILE = """
    end, y = Loop("", go, zero, x) <body: graph = step
    (int64 i, bool on, int64 c, float[2,3] h) => (bool again, int64 d, float[2,3] k) {
        z = MatMul(h, w)  t = Tanh(z)  f = CastLike(c, t)  k = Add(t, f)  d = Add(c, one)  again = Less(d, n)
    }>"""
#: Another weight in every second step, by the number of the step.
EVEN = """
    y = Loop(n, go, x) <body: graph = step (int64 i, bool on, float[2,3] h) => (bool again, float[2,3] k) {
        m = Mod(i, two)  even = Equal(m, zero)
        k = If(even) <then_branch: graph = a () => (float[2,3] p) { z = MatMul(h, w) p = Tanh(z) },
                      else_branch: graph = b () => (float[2,3] p) { z = MatMul(h, v) p = Sigmoid(z) }>
        again = Identity(on)
    }>"""
#: Two steps in each of two, and a sequence that the inner ones fill.
NESTED = """
    none = SequenceEmpty()
    all = Loop(two, go, none) <body: graph = outer
    (int64 i, bool on, seq(float[2,3]) s) => (bool again, seq(float[2,3]) u) {
        h = Loop(two, go, x) <body: graph = inner
        (int64 j, bool still, float[2,3] h_in) => (bool more, float[2,3] h_out) {
            z = MatMul(h_in, w)  e = Add(i, j)  f = CastLike(e, z)  h_out = Add(z, f)  more = Identity(still)
        }>
        u = SequenceInsert(s, h)  again = Identity(on)
    }>
    joined = ConcatFromSequence<axis = 0>(all)  second = SequenceAt(all, one)
    y = Concat<axis = 0>(joined, second)"""
NUMBERS = "int64 n = {3}, int64 zero = {0}, int64 one = {1}, int64 two = {2}, bool go = {1}"
WEIGHTS = f"float[3,3] w = {weights(1, 3, 3)}, float[3,3] v = {weights(2, 3, 3)}"


@pytest.mark.parametrize(
    "nodes, output",
    [(STEPS, "float[2,3] y"), (WHILE, "float[2,3] y"), (EVEN, "float[2,3] y"), (NESTED, "float[6,3] y")],
    ids=["carried", "while", "even", "nested"],
)
def test_it_computes_and_trains_as_the_loop(nodes, output):
    proto = parsed("float[2,3] x", output, f"{NUMBERS}, {WEIGHTS}", nodes)
    check_case(Case(proto, {"x": values(3, 2, 3)}, ["w"], batch=2, reference=False))


def test_its_rows_are_stacked():
    nodes = STEPS.replace("y, rows", "last, y")
    proto = parsed("float[2,3] x", "float[3,2,3] y", f"{NUMBERS}, {WEIGHTS}", nodes)
    with Session(compile_model(proto, batch=2, check=True).image) as session:
        y = np.array(session.infer(values(3, 2, 3))[0]).reshape(3, 2, 3)
    np.testing.assert_allclose(y, run_ort(proto, {"x": values(3, 2, 3)})["y"], rtol=1e-5)


@pytest.mark.parametrize("at", [-2, -1, 0, 1, 2])
def test_a_sequence_takes_a_tensor_at_any_place(at):
    nodes = """
        two_of = SequenceConstruct(x, v)  three = SequenceInsert(two_of, w, at)  last = SequenceAt(three, minus)
        joined = ConcatFromSequence<axis = 0>(three)  y = Concat<axis = 0>(joined, last)"""
    constants = f"{WEIGHTS}, int64 at = {{{at}}}, int64 minus = {{-1}}"
    proto = parsed("float[2,3] x", "float[n,3] y", constants, nodes)
    with Session(compile_model(proto, batch=2).image) as session:
        y = np.array(session.infer(values(3, 2, 3))[0]).reshape(-1, 3)
    np.testing.assert_array_equal(y, run_ort(proto, {"x": values(3, 2, 3)})["y"])


def test_a_loop_that_never_runs_passes_its_value_on():
    proto = parsed("float[2,3] x", "float[2,3] y", f"{NUMBERS}, {WEIGHTS}", STEPS.replace("Loop(n", "Loop(zero"))
    with Session(compile_model(proto, batch=2).image) as session:
        np.testing.assert_array_equal(session.infer(values(3, 2, 3))[0], values(3, 2, 3))


def test_its_weights_train_once_and_go_back_into_the_loop(caplog):
    tensor = onnx.numpy_helper.from_array(values(1, 3, 3), "w")
    proto = parsed("float[N,3] x", "float[N,3] y", NUMBERS, STEPS.replace("[2,3]", "[N,3]"))
    body = next(node for node in proto.graph.node if node.op_type == "Loop").attribute[0].g
    body.initializer.append(tensor)
    x, target = values(3, 2, 3), values(4, 2, 3)
    made = build_artifacts(proto, None, losses.mse(), optimizers.sgd(RATE))
    assert list(made.parameters) == ["w"]
    assert "'w' is used by" not in caplog.text
    with Session(compile_image(made, Options(batch=2)).image) as session:
        session.step(x, target)
        better, y = trained_model(proto, session.save()), np.array(session.infer(x)[0])
    np.testing.assert_allclose(run_ort(better, {"x": x})["y"], y, rtol=1e-5)
    assert not np.allclose(run_ort(proto, {"x": x})["y"], y)


@pytest.mark.parametrize(
    "nodes, words",
    [
        (STEPS.replace("Loop(n", "Loop(given"), "a Loop whose number of iterations is computed from data"),
        (STEPS.replace("again = Identity(on)", "top = ReduceMax<keepdims = 0>(h)  again = Greater(top, half)"),
         "a Loop whose number of iterations is computed from data"),
        (STEPS.replace("Loop(n", "Loop(far"), f"a Loop makes more than {unroll_loops.MAX_NODES:,} nodes"),
        (STEPS.replace("Loop(n", 'Loop(""'), f"a Loop makes more than {unroll_loops.MAX_NODES:,} nodes"),
        (STEPS.replace("Loop(n", "Loop(zero").replace("y, rows", "last, y"), "a Loop that never runs"),
    ],
    ids=["a number", "a condition", "far", "endless", "no rows"],
)  # fmt: skip
def test_others_are_refused_by_name(nodes, words):
    output = "float[N,2,3] y" if "last" in nodes else "float[2,3] y"
    constants = f"{NUMBERS}, {WEIGHTS}, int64 far = {{4000000000000}}, float half = {{0.5}}"
    proto = parsed("float[2,3] x, int64 given", output, constants, nodes)
    with pytest.raises(UnsupportedOperator, match=words):
        compile_model(proto, batch=2)


class Bag(nn.Module):
    """Bags of three, one a sample."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.table, self.dense = nn.EmbeddingBag(6, 4, mode=mode), nn.Linear(4, 2)

    def forward(self, ids):
        return self.dense(self.table(ids))


class Offsets(Bag):
    """Bags of two and four."""

    def forward(self, ids):
        return self.dense(self.table(ids.flatten(), torch.tensor([0, 2])))


def exported(net: nn.Module, dynamo: bool, free: bool) -> onnx.ModelProto:
    file, options = io.BytesIO(), {}
    if free:
        options = {"dynamic_shapes": ({0: "batch"},)} if dynamo else {"dynamic_axes": {"ids": {0: "batch"}}}
    torch.onnx.export(net.eval(), (torch.from_numpy(IDS),), file, input_names=["ids"], dynamo=dynamo, verbose=False,
                      **options)  # fmt: skip
    return onnx.load_model_from_string(file.getvalue())


@pytest.mark.parametrize("free", [False, True], ids=["fixed", "free"])
@pytest.mark.parametrize("dynamo", [False, True], ids=["TorchScript", "torch.export"])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_an_embedding_bag_trains_as_in_pytorch(mode, dynamo, free):
    torch.manual_seed(2)
    check_steps(net := Bag(mode), made := compiled(exported(net, dynamo, free)))
    assert len(made.compiled.programs[0].instructions) < 10  # one reduction, not one for each bag


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_so_do_bags_of_several_sizes(mode):
    torch.manual_seed(2)
    check_steps(net := Offsets(mode), compiled(exported(net, dynamo=True, free=False)))


def compiled(proto: onnx.ModelProto):
    return compile_model(proto, losses.cross_entropy(), optimizers.sgd(RATE), batch=2, check=True)


def check_steps(net: nn.Module, made) -> None:
    labels, rule = np.array([1, 0]), torch.optim.SGD(net.parameters(), RATE)
    with Session(made.image) as session:
        assert {name.split(".")[0] for name in session.parameter_names()} == {"table", "dense"}
        for _ in range(3):
            rule.zero_grad()
            loss = nn.functional.cross_entropy(net(torch.from_numpy(IDS)), torch.from_numpy(labels))
            assert session.step(IDS.astype(np.int32), labels.astype(np.int32)) == pytest.approx(loss.item(), rel=1e-5)
            loss.backward()
            rule.step()
