"""Networks of the kinds that people write by hand, small, for sixty.py."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

BATCH, CLASSES = 4, 5


class Perceptron(nn.Sequential):
    """Dense layers with layer norm."""

    def __init__(self) -> None:
        super().__init__(nn.Linear(12, 32), nn.LayerNorm(32), nn.SiLU(), nn.Linear(32, 16), nn.Mish(), nn.Linear(16, 5))


class Lstm(nn.Module):
    """Two layers of LSTM, both directions, samples first."""

    def __init__(self) -> None:
        super().__init__()
        self.cells = nn.LSTM(6, 8, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(16, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.cells(x)[0][:, -1])


class Gru(nn.Module):
    """An embedding, a GRU, and scores of the next token."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.cells, self.head = nn.Embedding(20, 8), nn.GRU(8, 12, batch_first=True), nn.Linear(12, 20)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.cells(self.embedding(ids))[0])


class UNet(nn.Module):
    """A class for each pixel: down, up, and a connection across."""

    def __init__(self) -> None:
        super().__init__()
        self.down, self.deep = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.up, self.out = nn.ConvTranspose2d(16, 8, 2, stride=2), nn.Conv2d(16, CLASSES, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        near = F.relu(self.down(x))
        far = F.relu(self.up(F.relu(self.deep(near))))
        return self.out(torch.cat([near, far], 1)).permute(0, 2, 3, 1)


class Convolutional1d(nn.Module):
    """Dilated causal convolutions over time, gated, as in WaveNet."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv1d(2, 8, 1)
        self.filters = nn.ModuleList(nn.Conv1d(8, 16, 2, dilation=2**k) for k in range(3))
        self.last = nn.Conv1d(8, CLASSES, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.first(x)
        for k, layer in enumerate(self.filters):
            gate, content = layer(F.pad(h, (2**k, 0))).chunk(2, 1)
            h = h + torch.sigmoid(gate) * torch.tanh(content)
        return self.last(h).mean(2)


class Excited(nn.Module):
    """A squeeze and excitation, group norm, and a residual connection."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(2, 8)
        self.squeeze, self.excite, self.head = nn.Linear(8, 2), nn.Linear(2, 8), nn.Linear(8, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = F.hardswish(self.norm(self.first(x)))
        scale = F.hardsigmoid(self.excite(F.relu(self.squeeze(h.mean((2, 3))))))
        return self.head((h + h * scale[:, :, None, None]).amax((2, 3)))


class Attentive(nn.Module):
    """torch's own encoder layers."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, norm_first=True), 2,
            enable_nested_tensor=False,
        )  # fmt: skip
        self.head = nn.Linear(16, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.layers(x).mean(1))


class GraphAttention(nn.Module):
    """Attention among the nodes of one graph, whose edges are a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.project, self.source, self.target = nn.Linear(6, 8), nn.Linear(8, 1), nn.Linear(8, 1)
        self.head = nn.Linear(8, CLASSES)
        self.register_buffer("edges", (torch.rand(7, 7) < 0.5) | torch.eye(7, dtype=torch.bool))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.project(x)
        scores = F.leaky_relu(self.source(h) + self.target(h).transpose(1, 2), 0.2)
        weights = scores.masked_fill(~self.edges, -1e9).softmax(-1)
        return self.head(F.elu(weights @ h))


class Factorized(nn.Module):
    """DeepFM: fields share one table, each with an offset, and pairs of them multiply."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.linear = nn.Embedding(30, 6), nn.Embedding(30, 1)
        self.deep, self.head = nn.Sequential(nn.Linear(18, 16), nn.ReLU(), nn.Linear(16, 4)), nn.Linear(6, CLASSES)
        self.register_buffer("offsets", torch.tensor([0, 10, 20]))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        rows = self.table(ids + self.offsets)
        pairs = (rows.sum(1) ** 2 - (rows**2).sum(1)).sum(1, keepdim=True) / 2
        deep = self.deep(rows.flatten(1))
        return self.head(torch.cat([self.linear(ids + self.offsets).sum(1), pairs, deep], 1))


NETWORKS = {
    "perceptron": lambda: (Perceptron(), torch.randn(BATCH, 12)),
    "LSTM": lambda: (Lstm(), torch.randn(BATCH, 5, 6)),
    "GRU": lambda: (Gru(), torch.randint(0, 20, (BATCH, 6))),
    "U-Net": lambda: (UNet(), torch.randn(BATCH, 3, 8, 8)),
    "WaveNet": lambda: (Convolutional1d(), torch.randn(BATCH, 2, 12)),
    "squeeze and excitation": lambda: (Excited(), torch.randn(BATCH, 3, 8, 8)),
    "encoder": lambda: (Attentive(), torch.randn(BATCH, 5, 16)),
    "graph attention": lambda: (GraphAttention(), torch.randn(BATCH, 7, 6)),
    "DeepFM": lambda: (Factorized(), torch.randint(0, 10, (BATCH, 3))),
}
