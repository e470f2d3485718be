"""`ids + offset` before one table of all fields, as in DeepFM, was refused as arithmetic on integers; so was the count
of true elements. Both are exact in float32."""

from __future__ import annotations

import io

import numpy as np
import onnx
import onnx.parser
import pytest
import torch
from torch import nn

from gradmote import compile_model, losses, optimizers
from gradmote.errors import GradmoteError, UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import values

pytestmark = pytest.mark.filterwarnings("ignore")
RATE = 0.1


class Fields(nn.Module):
    """One table for three fields, each with an offset of its own."""

    def __init__(self):
        super().__init__()
        self.table, self.dense = nn.Embedding(12, 4), nn.Linear(12, 2)
        self.register_buffer("offsets", torch.tensor([0, 5, 8]))

    def forward(self, ids):
        return self.dense(self.table(2 * ids + self.offsets - 1 + 1).flatten(1))


class Share(nn.Module):
    """Scales by the number of positive elements."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(3, 2)

    def forward(self, x):
        return self.dense(x) * (x > 0).sum(1, keepdim=True)


def exported(net: nn.Module, x: torch.Tensor, dynamo: bool) -> onnx.ModelProto:
    file = io.BytesIO()
    form = {"dynamic_shapes": ({0: "batch"},)} if dynamo else {"dynamic_axes": {"x": {0: "batch"}}}
    torch.onnx.export(net.eval(), (x,), file, input_names=["x"], dynamo=dynamo, verbose=False, **form)
    return onnx.load_model_from_string(file.getvalue())


@pytest.mark.parametrize("dynamo", [False, True], ids=["TorchScript", "torch.export"])
@pytest.mark.parametrize("name", ["fields", "share"])
def test_it_trains_as_in_pytorch(name, dynamo):
    torch.manual_seed(2)
    net = Fields() if name == "fields" else Share()
    x = np.array([[0, 1, 1], [2, 0, 1]]) if name == "fields" else values(1, 2, 3)
    y = values(2, 2, 2)
    made = compile_model(exported(net, torch.from_numpy(x), dynamo), losses.mse(), optimizers.sgd(RATE), batch=2,
                         check=True)  # fmt: skip
    step = torch.optim.SGD(net.parameters(), RATE)
    with Session(made.image) as session:
        given = x.astype(np.int32) if name == "fields" else x
        for _ in range(3):
            step.zero_grad()
            loss = nn.functional.mse_loss(net(torch.from_numpy(x)), torch.from_numpy(y))
            assert session.step(given, y) == pytest.approx(loss.item(), rel=1e-5)
            loss.backward()
            step.step()


@pytest.mark.parametrize("id", [7, (1 << 24) + 1, 2**31 - 1, -(1 << 24) - 1])
def test_an_index_beyond_the_table_stops_the_program(id):
    proto = exported(Fields(), torch.zeros(2, 3, dtype=torch.long), dynamo=False)
    with Session(compile_model(proto, batch=1).image) as session, pytest.raises(GradmoteError):
        session.infer(np.array([[0, 0, id]], np.int32))


@pytest.mark.parametrize("nodes", [
    "g (int64[2] x) => (float[2,3] y) <float[4,3] w, int64 c = {2000000}> { i = Sub(x, c) y = Gather(w, i) }",
    "g (int64[2] x, int64[2] z) => (float[2,3] y) <float[4,3] w> { i = Add(x, z) y = Gather(w, i) }",
    "g (int64[2] x) => (float[2] y) <int64 c = {2}> { i = Mul(x, c) y = Cast<to = 1>(i) }",
], ids=["a large constant", "two inputs", "a number"])  # fmt: skip
def test_what_may_round_is_refused(nodes):
    nodes = nodes.replace("float[4,3] w", f"float[4,3] w = {{{', '.join(['1'] * 12)}}}")
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> {nodes}')
    with pytest.raises(UnsupportedOperator, match="of integers"):
        compile_model(model, batch=None)
