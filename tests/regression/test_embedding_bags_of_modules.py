"""PyTorch's exporter makes a Loop of an EmbeddingBag, so that gradmote.torch refused one with a report of shapes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

import gradmote.torch as front
from gradmote.errors import ModelError

pytestmark = pytest.mark.filterwarnings("ignore")
IDS, LABELS = torch.tensor([[3, 1, 1], [0, 4, 2]]), torch.tensor([1, 0])


class Bag(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.table, self.dense = nn.EmbeddingBag(6, 4, **options), nn.Linear(4, 2)

    def forward(self, ids):
        return self.dense(self.table(ids))


class Offsets(Bag):
    def forward(self, ids):
        return self.dense(self.table(ids.flatten(), torch.tensor([0, 2])))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_it_trains_as_in_pytorch(mode):
    torch.manual_seed(2)
    net = Bag(mode=mode)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    made = front.compile(net, IDS, nn.CrossEntropyLoss(), optimizer, batch=2)
    found = front.check(made, net, IDS, LABELS, optimizer)
    assert found.agrees and {each.name for each in found.parameters} == {"table.weight", "dense.weight", "dense.bias"}


def test_a_bag_that_is_the_result_infers():
    torch.manual_seed(2)
    net = nn.EmbeddingBag(6, 4, mode="mean")
    with front.compile(net, IDS, batch=2).session() as session:
        result = np.array(session.infer(IDS.int().numpy())[0]).reshape(2, 4)
    np.testing.assert_allclose(result, net(IDS).detach(), atol=1e-6)


@pytest.mark.parametrize("net", [Bag(padding_idx=0), Offsets()], ids=["padding", "offsets"])
def test_others_are_refused_with_what_to_write(net):
    rule = torch.optim.SGD(net.parameters(), 0.1)
    with pytest.raises(ModelError, match=r"an EmbeddingBag with offsets.*Embedding and \.sum\(1\)"):
        front.compile(net, IDS, nn.CrossEntropyLoss(), rule, batch=2)
