"""Sizes that follow from an open batch were refused as computed: a Tile of a table (DeBERTa), a Slice of what an
attention over edges scatters, and the gradient of the flat Gather that as_strided() becomes."""

from __future__ import annotations

import io

import numpy as np
import onnx
import onnx.parser
import pytest
import torch
from torch import nn

import gradmote.torch as front
from gradmote import compile_model, losses, optimizers
from gradmote.errors import ModelError
from gradmote_runtime import Session
from support.oracle import values

pytestmark = pytest.mark.filterwarnings("ignore")
RATE, TARGETS = 0.1, values(2, 2, 2)


class Tiled(nn.Module):
    """Relative positions: a table, repeated for each sample, times the queries of two heads."""

    def __init__(self):
        super().__init__()
        self.query, self.table, self.dense = nn.Linear(4, 4), nn.Parameter(torch.randn(2, 5, 2)), nn.Linear(4, 2)

    def forward(self, x):
        samples, length, _ = x.shape
        q = self.query(x).view(samples, length, 2, 2).permute(0, 2, 1, 3).reshape(-1, length, 2)
        scores = q @ self.table.repeat(q.size(0) // 2, 1, 1).transpose(1, 2)
        place = (torch.arange(length)[:, None] - torch.arange(length)[None] + 2).clamp(0, 4)
        weights = torch.gather(scores, -1, place[None].expand(q.size(0), length, length)).softmax(-1)
        return self.dense((weights @ q).view(-1, 2, length, 2).permute(0, 2, 1, 3).reshape(samples, length, 4).mean(1))


class Strided(nn.Module):
    """Overlapping windows."""

    def __init__(self):
        super().__init__()
        self.first, self.dense = nn.Linear(4, 4), nn.Linear(12, 2)

    def forward(self, x):
        h = self.first(x)
        return self.dense(torch.tanh(h.as_strided((h.size(0), 2, 12), (16, 4, 1))).mean(1))


class Edges(nn.Module):
    """Attention among nodes along edges, which are a buffer."""

    def __init__(self):
        super().__init__()
        self.project, self.score, self.dense = nn.Linear(4, 4), nn.Linear(8, 1), nn.Linear(4, 2)
        self.register_buffer("edges", torch.tensor([[0, 1, 2, 2, 3], [1, 2, 0, 1, 0]]))

    def forward(self, x):
        h, (source, target) = self.project(x), self.edges
        weights = self.score(torch.cat([h[:, source], h[:, target]], -1)).exp()
        places = target[None, :, None].expand(x.size(0), -1, 1)
        sums = torch.zeros(x.size(0), 4, 1).scatter_add(1, places, weights) + 1
        messages = h[:, source] * weights / sums[:, target]
        return self.dense(torch.tanh(torch.zeros_like(h).scatter_add(1, places.expand(-1, -1, 4), messages)).mean(1))


NETWORKS = {"Tile": Tiled, "as_strided": Strided, "scatter": Edges}


def exported(net: nn.Module, x: torch.Tensor, dynamo: bool) -> onnx.ModelProto:
    file = io.BytesIO()
    form = {"dynamic_shapes": ({0: "batch"},)} if dynamo else {"dynamic_axes": {"x": {0: "batch"}}}
    torch.onnx.export(net.eval(), (x,), file, input_names=["x"], dynamo=dynamo, verbose=False, **form)
    return onnx.load_model_from_string(file.getvalue())


def compiled(net: nn.Module, x: torch.Tensor, door: str, step: torch.optim.Optimizer) -> bytes:
    if door == "module":
        return front.compile(net, x, nn.MSELoss(), step, batch=2).image
    proto = exported(net, x, door == "torch.export")
    return compile_model(proto, losses.mse(), optimizers.sgd(RATE), batch=2, check=True).image


@pytest.mark.parametrize("door", ["TorchScript", "torch.export", "module"])
@pytest.mark.parametrize("name", NETWORKS)
def test_it_trains_as_in_pytorch(name, door):
    torch.manual_seed(2)
    net, x = NETWORKS[name](), torch.from_numpy(values(1, 2, 4, 4))
    step = torch.optim.SGD(net.parameters(), RATE)
    with Session(compiled(net, x, door, step)) as session:
        for _ in range(3):
            step.zero_grad()
            loss = nn.functional.mse_loss(net(x), torch.from_numpy(TARGETS))
            assert session.step(x.numpy(), TARGETS) == pytest.approx(loss.item(), rel=1e-5)
            loss.backward()
            step.step()


@pytest.mark.parametrize("repeats", ["{2, 1, 2}", None])
def test_a_tile_repeats_each_axis(repeats):
    given = f"int64[3] r = {repeats}" if repeats else "int64[2] r = {2, 3}"
    made = "t = Tile(x, r)" if repeats else "s = Shape<start = 0, end = 1>(x) c = Concat<axis = 0>(s, r) t = Tile(x, c)"
    text = f"""<ir_version: 8, opset_import: ["" : 17]> g (float[N,2,3] x) => (float[M,K,L] y) <{given}>
        {{ {made} y = Neg(t) }}"""
    x = values(3, 2, 2, 3)
    with Session(compile_model(onnx.parser.parse_model(text), batch=2).image) as session:
        expected = -np.tile(x, (2, 1, 2) if repeats else (2, 2, 3))
        np.testing.assert_array_equal(np.array(session.infer(x)[0]).reshape(expected.shape), expected)


def test_sizes_of_data_are_refused():
    text = """<ir_version: 8, opset_import: ["" : 17]> g (float[N,2] x, int64[2] r) => (float[M,K] y)
        { t = Tile(x, r) y = Neg(t) }"""
    with pytest.raises(ModelError, match="cannot be known before running"):
        compile_model(onnx.parser.parse_model(text), batch=None, dims={"N": 2})
