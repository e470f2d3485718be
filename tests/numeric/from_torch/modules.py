"""Small modules, each with something that an exporter's defaults would change, and a batch for it."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 4


class Tied(nn.Module):
    """The embedding is the head's weight."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.norm = nn.Embedding(20, 16), nn.LayerNorm(16)
        self.head = nn.Linear(16, 20, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.embedding(ids)))


class Parametrized(nn.Module):
    """Weight norm, and statistics of the inputs as buffers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.utils.parametrizations.weight_norm(nn.Linear(6, 5))
        self.last = nn.Linear(5, 3)
        self.register_buffer("mean", torch.randn(6))
        self.register_buffer("deviation", torch.rand(6) + 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(torch.relu(self.first((x - self.mean) / self.deviation)))


class OfItsWeight(nn.Module):
    """A function of a parameter, which folding would make the parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(6, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ F.softplus(self.w)


class Functional(nn.Module):
    """A normalization by a function, with buffers of its own, and one that only uses running statistics."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(6, 8, bias=False), nn.Linear(8, 3)
        self.register_buffer("mean", torch.zeros(8))
        self.register_buffer("variance", torch.ones(8))
        self.still = nn.BatchNorm1d(8).eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = F.batch_norm(self.first(x), self.mean, self.variance, training=True, momentum=0.2)
        return self.last(torch.tanh(self.still(h)))


class Detached(nn.Module):
    """Values without gradients: detach(), no_grad(), and the row of an embedding that is padding."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.first, self.last = nn.Embedding(9, 6, padding_idx=0), nn.Linear(6, 8), nn.Linear(8, 3)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        h = self.first(self.embedding(ids).mean(1))
        with torch.no_grad():
            gate, far = torch.sigmoid(h), self.first(torch.ones_like(h[:, :6]))
        return self.last(torch.tanh(h) * gate + far + h.detach().sin())


class Convolutions(nn.Sequential):
    """Two convolutions with BatchNorm, and a classifier."""

    def __init__(self) -> None:
        super().__init__(
            nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 8, 3, groups=8, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3),
        )  # fmt: skip
        for norm in (self[1], self[5]):
            nn.init.normal_(norm.running_mean)
            nn.init.uniform_(norm.running_var, 0.5, 1.5)


class OneNormLearns(Convolutions):
    """One of its BatchNorms is in train(), the other in eval()."""

    def __init__(self) -> None:
        super().__init__()
        self[5].eval()


class Llama(nn.Module):
    """One block: grouped queries, rotary tables as buffers, RMSNorm, SwiGLU, a causal mask."""

    def __init__(self, width: int = 16, heads: int = 4, words: int = 32, length: int = 8) -> None:
        super().__init__()
        self.heads = heads
        self.embedding, self.norm = nn.Embedding(words, width), nn.RMSNorm(width)
        self.q, self.o = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.k, self.v = (nn.Linear(width, width // 2, bias=False) for _ in range(2))
        self.up, self.gate = (nn.Linear(width, 2 * width, bias=False) for _ in range(2))
        self.down, self.head = nn.Linear(2 * width, width, bias=False), nn.Linear(width, words, bias=False)
        size = width // heads
        angle = torch.arange(length).float()[:, None] * torch.exp(-torch.arange(0, size, 2) / size * 9.2)[None]
        self.register_buffer("cos", torch.cos(torch.cat([angle, angle], 1)))
        self.register_buffer("sin", torch.sin(torch.cat([angle, angle], 1)))

    def rotated(self, x: torch.Tensor) -> torch.Tensor:
        half = x.shape[-1] // 2
        return x * self.cos + torch.cat([-x[..., half:], x[..., :half]], -1) * self.sin

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embedding(ids)
        samples, length, width = x.shape
        y, size = self.norm(x), width // self.heads
        q, k, v = (layer(y).view(samples, length, -1, size).transpose(1, 2) for layer in (self.q, self.k, self.v))
        k, v = (each.repeat_interleave(2, 1) for each in (self.rotated(k), v))
        mixed = F.scaled_dot_product_attention(self.rotated(q), k, v, is_causal=True)
        x = x + self.o(mixed.transpose(1, 2).reshape(samples, length, width))
        y = self.norm(x)
        return self.head(x + self.down(F.silu(self.gate(y)) * self.up(y)))


class Biased(nn.Module):
    """Attention with a bias that is learned, as BEiT's of relative positions."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.bias, self.head = (
            nn.Linear(6, 18, bias=False),
            nn.Parameter(torch.randn(2, 5, 5)),
            nn.Linear(6, 3),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        samples, length, width = x.shape
        q, k, v = self.layer(x).reshape(samples, length, 3, 2, -1).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=self.bias[None])
        return self.head(mixed.transpose(1, 2).reshape(samples, length, width)).mean(1)


class Adapted(nn.Module):
    """A frozen layer with a low-rank one beside it; the second half of that begins at zero."""

    def __init__(self) -> None:
        super().__init__()
        self.base = nn.Linear(6, 3).requires_grad_(False)
        self.a, self.b = nn.Linear(6, 2, bias=False), nn.Linear(2, 3, bias=False)
        nn.init.zeros_(self.b.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + self.b(self.a(x))


def ids(words: int, length: int) -> torch.Tensor:
    return torch.randint(0, words, (BATCH, length))


#: name -> the module and a batch of inputs.
MODULES = {
    "tied": lambda: (Tied(), ids(20, 7)),
    "parametrized": lambda: (Parametrized(), torch.randn(BATCH, 6)),
    "of its weight": lambda: (OfItsWeight(), torch.randn(BATCH, 6)),
    "norms of batches": lambda: (Convolutions(), torch.randn(BATCH, 1, 8, 8)),
    "norms in eval": lambda: (Convolutions().eval(), torch.randn(BATCH, 1, 8, 8)),
    "norms by functions": lambda: (Functional(), torch.randn(BATCH, 6)),
    "detached": lambda: (Detached(), ids(9, 5)),
    "one norm of two": lambda: (OneNormLearns(), torch.randn(BATCH, 1, 8, 8)),
    "Llama": lambda: (Llama(), ids(32, 8)),
    "biased": lambda: (Biased(), torch.randn(BATCH, 5, 6)),
    "adapted": lambda: (Adapted(), torch.randn(BATCH, 6)),
    "recurrent": lambda: (Recurrent(), torch.randn(BATCH, 5, 6)),
}


class Recurrent(nn.Module):
    """A GRU over samples that come first."""

    def __init__(self) -> None:
        super().__init__()
        self.cells, self.head = nn.GRU(6, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.cells(x)[0][:, -1])
