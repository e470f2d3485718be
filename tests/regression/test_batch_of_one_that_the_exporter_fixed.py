"""`torch.onnx.export(model, (one_sample,), path)` fixes the batch at 1. Compiled for more, such a model was refused
with "fixed batch" and no recipe. Its batch becomes free if samples stay apart; else the message has the line that
exports the model with a free batch."""

from __future__ import annotations

import io
import logging
import re

import numpy as np
import onnx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper
from torch import nn

from gradmote import cli, losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.errors import ModelError
from gradmote.frontend.free_batch import batch_axis, first_dims
from gradmote_runtime import Session
from support.sampling import at_most

pytestmark = pytest.mark.filterwarnings("ignore")
BATCH = 4


class Views(nn.Sequential):
    """A module that flattens by a view of fixed sizes."""

    def forward(self, x):
        return self[1](torch.tanh(self[0](x)).view(1, -1))


class LastStep(nn.Sequential):
    """A recurrent layer whose state begins with zeros for one sample."""

    def forward(self, x):
        return self[1](self[0](x)[0][:, -1])


class Attention(nn.Module):
    """Moves the batch inside, beside the heads."""

    def __init__(self):
        super().__init__()
        self.attention, self.head = nn.MultiheadAttention(8, 2, batch_first=True), nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.attention(x, x, x)[0].mean(1))


class Centred(nn.Linear):
    """Takes the mean over the batch: every sample depends on the others."""

    def forward(self, x):
        y = super().forward(x)
        return 2 * y - y.mean(0, keepdim=True)


NETWORKS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3)), (5,)),
    "flatten": (lambda: nn.Sequential(nn.Conv2d(1, 4, 3), nn.Flatten(), nn.Linear(144, 3)), (1, 8, 8)),
    "view": (lambda: Views(nn.Conv2d(1, 4, 3), nn.Linear(144, 3)), (1, 8, 8)),
    "lstm": (lambda: LastStep(nn.LSTM(4, 6, batch_first=True), nn.Linear(6, 3)), (7, 4)),
    "attention": (Attention, (7, 8)),
}


def exported(network: nn.Module, sample: tuple[int, ...], **options) -> onnx.ModelProto:
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    file = io.BytesIO()
    torch.onnx.export(network.eval(), (torch.randn(1, *sample),), file, verbose=False, **options)
    return onnx.load_model_from_string(file.getvalue())


def compiled(proto: onnx.ModelProto, batch: int = BATCH) -> bytes:
    return compile_model(proto, losses.cross_entropy(), optimizers.sgd(0.1), Options(batch=batch)).image


@pytest.mark.parametrize("name", NETWORKS)
def test_samples_together_are_as_one_by_one(name):
    """Against PyTorch: the loss of a batch, and what it computes for each sample."""
    torch.manual_seed(1)
    make, sample = NETWORKS[name]
    network = make()
    x = np.random.default_rng(2).normal(0, 1, (BATCH, *sample)).astype(np.float32)
    labels = np.array([0, 2, 1, 2])
    alone = torch.cat([network(torch.from_numpy(row[None])) for row in x])
    loss = nn.functional.cross_entropy(alone, torch.from_numpy(labels)).item()
    with Session(compiled(exported(network, sample))) as session:
        np.testing.assert_allclose(np.array(session.infer(x)[0]), alone.detach().numpy(), rtol=1e-4, atol=1e-5)
        assert session.step(x, labels) == pytest.approx(loss, rel=1e-5)


def test_older_exporter():
    make, sample = NETWORKS["view"]
    assert compiled(exported(make(), sample, dynamo=False))


def test_what_mixes_samples_is_refused_with_the_line_that_exports_it(tmp_path, monkeypatch):
    """The line is run as it is printed."""
    model = Centred(5, 3)
    with pytest.raises(ModelError, match="fixed batch of 1, asked for 4.*depends on the others.*--batch 1") as refusal:
        compiled(exported(model, (5,)))
    line = re.search(r"torch\.onnx\.export\(.*\)", refusal.value.hint)[0]
    monkeypatch.chdir(tmp_path)
    exec(line, {"torch": torch, "model": model})
    proto = onnx.load(tmp_path / "model.onnx")
    assert first_dims(proto) == {}
    assert compiled(proto)


def test_another_fixed_batch_names_the_line_too():
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [5, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [5, 4])],
    )  # fmt: skip
    with pytest.raises(ModelError, match="'x' has a fixed batch of 5, asked for 2.*--batch 5.*torch.onnx.export"):
        compile_model(helper.make_model(graph), options=Options(batch=2))


def test_command(tmp_path, capsys):
    make, sample = NETWORKS["mlp"]
    path = tmp_path / "model.onnx"
    onnx.save(exported(make(), sample), path)
    assert cli.main(["compile", str(path), "--loss", "cross_entropy", "--batch", "8"]) == 0
    assert "batch 8" in capsys.readouterr().out


@given(st.lists(st.integers(2, 5), min_size=1, max_size=4), st.data())
@settings(max_examples=at_most(100))
def test_the_batch_is_found_beside_other_dimensions(dims, data):
    """A 1 among other sizes is the batch, on any axis: a Reshape that keeps the order of all elements keeps it."""
    place = data.draw(st.integers(0, len(dims)))
    sizes = [*dims[:place], 1, *dims[place:]]
    inner = int(np.prod(dims[place:]))
    assert batch_axis(sizes, inner, inner) == place


def test_within_a_budget(tmp_path):
    """The search tries smaller batches of the same model."""
    make, sample = NETWORKS["mlp"]
    path = tmp_path / "model.onnx"
    onnx.save(exported(make(), sample), path)
    assert cli.main(["compile", str(path), "--loss", "cross_entropy", "--batch", "8", "--ram", "2K"]) == 0
