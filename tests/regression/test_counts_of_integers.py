"""RoBERTa counts the positions of its tokens: a cumulative sum of a mask of integers, times the mask, plus a constant.
It was refused as arithmetic on integers, though none of the numbers reaches 2^24."""

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
from gradmote.errors import UnsupportedOperator
from gradmote_runtime import Session
from support.oracle import values

pytestmark = pytest.mark.filterwarnings("ignore")
RATE = 0.1
IDS, TARGETS = np.array([[3, 2, 0, 0], [1, 4, 0, 3]]), values(2, 2, 2)


class Positions(nn.Module):
    """Rows of a table by the count of tokens that are not 0."""

    def __init__(self):
        super().__init__()
        self.words, self.places, self.dense = nn.Embedding(6, 4), nn.Embedding(7, 4), nn.Linear(4, 2)

    def forward(self, ids):
        mask = ids.ne(0).int()
        places = (torch.cumsum(mask, 1).type_as(mask) + 0) * mask
        rows = self.words(ids) + self.places(places.long() + 1)
        return self.dense(rows.sum(1) / mask.sum(1, keepdim=True))


def exported(net: nn.Module, dynamo: bool) -> onnx.ModelProto:
    file = io.BytesIO()
    form = {"dynamic_shapes": ({0: "batch"},)} if dynamo else {"dynamic_axes": {"x": {0: "batch"}}}
    torch.onnx.export(net.eval(), (torch.from_numpy(IDS),), file, input_names=["x"], dynamo=dynamo, verbose=False,
                      **form)  # fmt: skip
    return onnx.load_model_from_string(file.getvalue())


def compiled(net: nn.Module, door: str, step: torch.optim.Optimizer) -> bytes:
    if door == "module":
        return front.compile(net, torch.from_numpy(IDS), nn.MSELoss(), step, batch=2).image
    proto = exported(net, door == "torch.export")
    return compile_model(proto, losses.mse(), optimizers.sgd(RATE), batch=2, check=True).image


@pytest.mark.parametrize("door", ["TorchScript", "torch.export", "module"])
def test_it_trains_as_in_pytorch(door):
    torch.manual_seed(2)
    net = Positions()
    step = torch.optim.SGD(net.parameters(), RATE)
    with Session(compiled(net, door, step)) as session:
        for _ in range(3):
            step.zero_grad()
            loss = nn.functional.mse_loss(net(torch.from_numpy(IDS)), torch.from_numpy(TARGETS))
            assert session.step(IDS.astype(np.int32), TARGETS) == pytest.approx(loss.item(), rel=1e-5)
            loss.backward()
            step.step()


@pytest.mark.parametrize("nodes", [
    "b = Greater(x, half) m = Cast<to = 7>(b) c = CumSum(m, one) p = Mul(c, large) z = Cast<to = 1>(p)",
    "m = Cast<to = 7>(x) c = CumSum(m, one) z = Cast<to = 1>(c)",
], ids=["too large", "of data"])  # fmt: skip
def test_what_may_round_is_refused(nodes):
    text = f"""<ir_version: 8, opset_import: ["" : 17]> g (float[N,4] x) => (float[N,4] y)
        <float half = {{0.5}}, int64 one = {{1}}, int64 large = {{5000000}}> {{ {nodes} y = Neg(z) }}"""
    with pytest.raises(UnsupportedOperator, match="of integers"):
        compile_model(onnx.parser.parse_model(text), batch=2)
