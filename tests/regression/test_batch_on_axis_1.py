"""PyTorch's recurrent layers take (time, batch, features) by default. Such models were refused with hints that led in
a circle, or to an image whose batch was the time. The image takes samples on the first axis of every input."""

from __future__ import annotations

import io
import re

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper
from torch import nn
from typer.testing import CliRunner

from gradmote import cli, compile_model, losses, optimizers
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options
from gradmote.data.expected import expected_of
from gradmote.errors import ModelError, UnsupportedOperator
from gradmote.frontend import Inputs
from gradmote.frontend.samples_first import sample_axes
from gradmote_runtime import Session
from support.oracle import node, values

pytestmark = pytest.mark.filterwarnings("ignore")
LAST = {"x": {1: "batch"}, "y": {0: "batch"}}
TIME = {"x": {1: "batch"}, "y": {1: "batch"}}
RATE = 0.1


class Net(nn.Module):
    """A recurrent layer, and a dense one on its last step or on every step."""

    def __init__(self, kind: str, every: bool = False, **options):
        super().__init__()
        self.cells, self.dense, self.every = getattr(nn, kind)(3, 4, **options), nn.Linear(4, 2), every

    def forward(self, x, h=None):
        y = self.cells(x, h)[0]
        return self.dense(y if self.every else y[-1])


def exported(net: nn.Module, *example: torch.Tensor, dynamic=None, dynamo: bool = False) -> onnx.ModelProto:
    file, names = io.BytesIO(), ["x", "h"][: len(example)]
    form = {"dynamic_shapes": dynamic} if dynamo else {"dynamic_axes": dynamic}
    torch.onnx.export(net, example, file, input_names=names, output_names=["y"], dynamo=dynamo, verbose=False, **form)
    return onnx.load_model_from_string(file.getvalue())


def saved(proto: onnx.ModelProto, folder) -> str:
    onnx.save(proto, folder / "model.onnx")
    return str(folder / "model.onnx")


def compare(net: nn.Module, proto: onnx.ModelProto, batch: int, label: tuple[int, ...], **options) -> None:
    """Compare outputs, loss and updates with PyTorch's, in which samples are on axis 1."""
    x, y = values(1, batch, 5, 3), values(2, batch, *label)
    tx, ty = torch.from_numpy(x).transpose(0, 1), torch.from_numpy(y)
    given = (lambda: net(tx).transpose(0, 1)) if len(label) > 1 else (lambda: net(tx))
    made = compile_model(proto, losses.mse(), optimizers.sgd(RATE), Options(batch=batch, **options), check=True)
    with Session(made.image) as session:
        np.testing.assert_allclose(np.array(session.infer(x)[0]), given().detach().numpy(), rtol=1e-4, atol=1e-5)
        loss = nn.functional.mse_loss(given(), ty)
        loss.backward()
        assert session.step(x, y) == pytest.approx(loss.item(), rel=1e-5)
        learned = trained_model(proto, session.save())
    with torch.no_grad():
        for parameter in net.parameters():
            parameter -= RATE * parameter.grad
    # the exported model keeps the user's form: time first
    engine = onnx.reference.ReferenceEvaluator(learned)
    np.testing.assert_allclose(engine.run(None, {"x": tx.numpy()})[0], net(tx).detach().numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["GRU", "LSTM", "RNN"])
def test_an_open_batch(kind):
    torch.manual_seed(3)
    net = Net(kind)
    proto = exported(net, torch.randn(5, 3, 3), dynamic=LAST)
    for batch in (1, 2, 4):
        net.zero_grad()
        compare(net, proto, batch, (2,))
        proto = exported(net, torch.randn(5, 3, 3), dynamic=LAST)


@pytest.mark.parametrize("kind", ["GRU", "LSTM", "RNN"])
@pytest.mark.parametrize("batch", [1, 2])
def test_a_fixed_batch(kind, batch):
    net = Net(kind)
    compare(net, exported(net, torch.randn(5, batch, 3)), batch, (2,))


@pytest.mark.parametrize("kind", ["GRU", "LSTM"])
def test_a_batch_of_one_becomes_any(kind):
    net = Net(kind)
    compare(net, exported(net, torch.randn(5, 1, 3)), 3, (2,))


def test_an_output_for_each_step():
    net = Net("GRU", every=True)
    compare(net, exported(net, torch.randn(5, 3, 3), dynamic=TIME), 2, (5, 2))
    net.zero_grad()
    compare(net, exported(net, torch.randn(5, 2, 3)), 2, (5, 2))


def test_the_newer_exporter():
    net = Net("GRU")
    compare(net, exported(net, torch.randn(5, 3, 3), dynamic=({1: "batch"},), dynamo=True), 2, (2,))


def test_an_open_time_too():
    net = Net("GRU")
    both = {"x": {0: "time", 1: "n"}, "y": {0: "n"}}
    proto = exported(net, torch.randn(5, 3, 3), dynamic=both)
    compare(net, proto, 2, (2,), dims={"time": 5})
    with pytest.raises(UnsupportedOperator, match="length is not fixed.*--dim NAME=N"):
        compile_model(proto, losses.mse(), optimizers.sgd(RATE), batch=2)


def test_initial_states_with_the_batch_on_axis_1():
    net = Net("GRU", batch_first=True)
    axes = {"x": {0: "batch"}, "h": {1: "batch"}, "y": {1: "batch"}}
    proto = exported(Net("GRU", every=True, batch_first=True), torch.randn(2, 5, 3), torch.randn(1, 2, 4), dynamic=axes)
    assert sample_axes(proto) == {"h": 1}
    net = Net("GRU")
    axes = {"x": {1: "batch"}, "h": {1: "batch"}, "y": {0: "batch"}}
    proto = exported(net, torch.randn(5, 2, 3), torch.randn(1, 2, 4), dynamic=axes)
    x, h, y = values(1, 3, 5, 3), values(2, 3, 1, 4), values(3, 3, 2)
    made = compile_model(proto, losses.mse(), optimizers.sgd(RATE), batch=3, check=True)
    tx, th = torch.from_numpy(x).transpose(0, 1), torch.from_numpy(h).transpose(0, 1)
    with Session(made.image) as session:
        assert session.step(x, h, y) == pytest.approx(nn.functional.mse_loss(net(tx, th), torch.from_numpy(y)).item())


def test_fewer_samples_than_the_batch():
    net = Net("LSTM")
    proto = exported(net, torch.randn(5, 3, 3), dynamic=LAST)
    made = compile_model(proto, losses.mse(), optimizers.sgd(RATE), batch=4)
    x, y = values(1, 3, 5, 3), values(2, 3, 2)
    loss = nn.functional.mse_loss(net(torch.from_numpy(x).transpose(0, 1)), torch.from_numpy(y))
    with Session(made.image) as session:
        assert session.step(x, y) == pytest.approx(loss.item(), rel=1e-5)


def test_a_transformer_without_recurrent_layers():
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention, self.dense = nn.MultiheadAttention(4, 2), nn.Linear(4, 2)

        def forward(self, x):
            return self.dense(self.attention(x, x, x)[0].mean(0))

    net = Attention()
    x = values(1, 2, 5, 4)
    made = compile_model(exported(net, torch.randn(5, 3, 4), dynamic=LAST), batch=2)
    with Session(made.image) as session:
        expected = net(torch.from_numpy(x).transpose(0, 1)).detach().numpy()
        np.testing.assert_allclose(np.array(session.infer(x)[0]), expected, rtol=1e-4, atol=1e-5)


# ---- The command line


@pytest.mark.parametrize(
    "options", ["--batch 2", "--batch 2 --dim batch=2", "--shape x=5,batch,3 --batch 2", "--shape x=5,2,3 --batch 2"]
)
def test_on_the_command_line(options, tmp_path):
    path = saved(exported(Net("GRU"), torch.randn(5, 3, 3), dynamic=LAST), tmp_path)
    command = ["compile", path, "--loss", "mse", "-o", f"{path}.mote", *options.split()]
    done = CliRunner().invoke(cli.app, command)
    assert done.exit_code == 0, done.output
    assert "batch 2" in done.output
    assert re.search(r"x has its samples on axis 1 in the model, and on the first in the image", done.output)
    assert "checked: agrees" in done.output
    expected = expected_of(tmp_path / "model.onnx.mote")
    assert expected.batch == 2
    assert [(t.array, t.shape) for t in expected.tensors] == [("x", (5, 3)), ("y", (2,))]


def test_samples_train(tmp_path):
    path = saved(exported(Net("GRU"), torch.randn(5, 3, 3), dynamic=LAST), tmp_path)
    np.savez(tmp_path / "samples.npz", x=values(1, 8, 5, 3), y=values(2, 8, 2))
    data, image = str(tmp_path / "samples.npz"), str(tmp_path / "model.mote")
    runner = CliRunner()
    for command in (
        ["data", data, "--model", path],
        ["compile", path, "--loss", "mse", "--batch", "2", "-o", image, "--data", data, "--check"],
        ["data", data, "--model", image],
        ["train", image, "--data", data, "--epochs", "1", "--checkpoint", str(tmp_path / "learned.gmck")],
    ):
        done = runner.invoke(cli.app, command)
        assert done.exit_code == 0, (command, done.output)


def test_samples_fixed_by_dim_are_refused_with_what_to_give(tmp_path):
    path = saved(exported(Net("GRU"), torch.randn(5, 3, 3), dynamic=LAST), tmp_path)
    for options in (["--dim", "batch=2"], ["--batch", "5", "--dim", "batch=2"]):
        done = CliRunner().invoke(cli.app, ["compile", path, "--loss", "mse", *options])
        assert re.search("'batch' counts samples.*--batch 2 instead of --dim batch=2", str(done.exception))


def test_shapes_of_another_batch_name_the_batch(tmp_path):
    path = saved(exported(Net("GRU"), torch.randn(5, 3, 3), dynamic=LAST), tmp_path)
    done = CliRunner().invoke(cli.app, ["compile", path, "--loss", "mse", "--shape", "x=5,2,3"])
    assert "use --batch 2" in str(done.exception)


# ---- Refusals


def graph_of(x: list, y: list, *nodes: onnx.NodeProto, **weights: np.ndarray) -> onnx.ModelProto:
    inputs, outputs = ([helper.make_tensor_value_info(n, TensorProto.FLOAT, s)] for n, s in (("x", x), ("y", y)))
    constants = [onnx.numpy_helper.from_array(a, n) for n, a in weights.items()]
    graph = helper.make_graph(list(nodes), "g", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_an_open_length_is_not_the_batch():
    """(1, words): the exporter fixed the batch, and the words are open."""
    proto = graph_of([1, "words", 3], [1, "words", 2], node("MatMul", "x w", "y"), w=values(1, 3, 2))
    assert sample_axes(proto) == {}
    with pytest.raises(ModelError, match="--dim words=N"):
        compile_model(proto, batch=1)


def test_two_dimensions_that_may_count_samples():
    proto = graph_of([5, "a_batch", "batch"], ["a_batch", "batch"], node("ReduceMean", "x", "y", axes=[0], keepdims=0))
    with pytest.raises(ModelError, match=r"a_batch, batch.*any of them may count samples.*--dim"):
        compile_model(proto, batch=2)


def test_an_output_that_joins_time_and_samples():
    flat = node("Reshape", "h sizes", "y")
    proto = graph_of(
        [5, "batch", 3], [None, 2], node("MatMul", "x w", "h"), flat, w=values(1, 3, 2), sizes=np.array([-1, 2])
    )
    with pytest.raises(ModelError, match="'y' joins samples with other axes"):
        compile_model(proto, batch=2)


def test_two_lengths_equal_to_the_fixed_batch():
    proto = graph_of([5, 1, 1, 3], [1, 3], node("ReduceMean", "x", "m", axes=[0, 1], keepdims=0),
                     node("Reshape", "m sizes", "y"), sizes=np.array([1, 3]))  # fmt: skip
    with pytest.raises(ModelError, match="fixed batch of 5") as refusal:
        compile_model(proto, batch=1)
    assert "--batch 5" not in str(refusal.value)


def test_shapes_by_the_api():
    net = Net("GRU")
    proto = exported(net, torch.randn(5, 3, 3), dynamic=LAST)
    made = compile_model(proto, losses.mse(), optimizers.sgd(RATE), batch=2, inputs=Inputs({"x": [5, "n", 3]}))
    with Session(made.image) as session:
        assert session.inputs()[0]["shape"] == (2, 5, 3)
    assert made.sample_axes == {"x": 1}
