"""Small transformers in PyTorch, with attention in each of the ways that models write it, and seeded weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

TOKENS, LENGTH, WIDTH, HEADS = 11, 6, 8, 2


class WrittenOut(nn.Module):
    """Causal attention by MatMul, a constant mask and Softmax; q, k, v by one Linear."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.register_buffer("mask", torch.triu(torch.ones(LENGTH, LENGTH, dtype=torch.bool), 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, t, d = x.shape
        q, k, v = (u.view(n, t, HEADS, d // HEADS).transpose(1, 2) for u in self.qkv(x).split(d, dim=-1))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(d // HEADS)
        weights = scores.masked_fill(self.mask, float("-inf")).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(n, t, d))


class AdditiveTriangle(WrittenOut):
    """The mask is a product: Trilu of ones made in forward, and -1e9 added to its zeros."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, t, d = x.shape
        q, k, v = self.qkv(x).reshape(n, t, 3, HEADS, d // HEADS).permute(2, 0, 3, 1, 4).unbind(0)
        keep = torch.tril(torch.ones(t, t, dtype=x.dtype))
        weights = torch.softmax(q @ k.transpose(-2, -1) * (d // HEADS) ** -0.5 + (1.0 - keep) * -1e9, dim=-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class ScaledDotProduct(WrittenOut):
    """PyTorch's own function with is_causal."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, t, d = x.shape
        q, k, v = (u.view(n, t, HEADS, d // HEADS).transpose(1, 2) for u in self.qkv(x).chunk(3, dim=-1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).contiguous().view(n, t, d))


class ScaledDotProductWithMask(WrittenOut):
    """As above with a boolean mask, for which exporters guard Softmax against rows of NaN."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, t, d = x.shape
        q, k, v = (u.view(n, t, HEADS, d // HEADS).transpose(1, 2) for u in self.qkv(x).chunk(3, dim=-1))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=~self.mask)
        return self.out(y.transpose(1, 2).reshape(n, t, d))


class MultiHead(nn.Module):
    """nn.MultiheadAttention, with the weights of attention computed and discarded."""

    def __init__(self, need_weights: bool = False) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.need_weights = need_weights
        self.register_buffer("mask", torch.triu(torch.full((LENGTH, LENGTH), float("-inf")), 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.attention(x, x, x, need_weights=self.need_weights, attn_mask=self.mask)[0]


class Block(nn.Module):
    """Attention and two Linear, each normalized before and added to what comes in."""

    def __init__(self, attention: nn.Module, approximate: str = "none") -> None:
        super().__init__()
        self.attention = attention
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.perceptron = nn.Sequential(nn.Linear(WIDTH, 16), nn.GELU(approximate), nn.Linear(16, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norms[0](x))
        return x + self.perceptron(self.norms[1](x))


class Language(nn.Module):
    """Tokens to logits of the next one, (N, TOKENS, LENGTH). tied: the head is the embedding's table."""

    def __init__(self, attention: Callable[[], nn.Module], tied: bool = True, approximate: str = "none") -> None:
        super().__init__()
        self.embed, self.positions = nn.Embedding(TOKENS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block(attention(), approximate) for _ in range(2)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, TOKENS, bias=False)
        if tied:
            self.head.weight = self.embed.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens) + self.positions(torch.arange(tokens.shape[1]))
        return self.head(self.norm(self.blocks(x))).transpose(1, 2)


class Encoder(nn.Module):
    """nn.TransformerEncoderLayer over tokens, whose mean is classified."""

    def __init__(self, norm_first: bool) -> None:
        super().__init__()
        self.embed = nn.Embedding(TOKENS, WIDTH)
        settings = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": norm_first}
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(WIDTH, HEADS, 16, **settings) for _ in range(2))
        self.head = nn.Linear(WIDTH, TOKENS)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean(1))


class Vision(nn.Module):
    """Patches by Conv, a class token before them, trained positions; classified by the class token."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, WIDTH, 4, 4)
        self.token = nn.Parameter(torch.randn(1, 1, WIDTH))
        self.positions = nn.Parameter(torch.randn(1, 5, WIDTH))
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 16, 0.0, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, TOKENS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return self.head(self.encoder(x)[:, 0])


@dataclass(frozen=True)
class Transformer:
    build: Callable[[], nn.Module]
    shape: tuple[int, ...] = (LENGTH,)
    labels: tuple[int, ...] = (LENGTH,)

    def make(self) -> nn.Module:
        """Make it in training mode, in which PyTorch does not replace its encoder with one fused call. No dropout."""
        torch.manual_seed(0)
        network = self.build()
        for parameter in network.parameters():  # an exporter makes equal tensors one
            nn.init.normal_(parameter, std=0.3)
        return network


TRANSFORMERS = {
    "written_out": Transformer(lambda: Language(WrittenOut)),
    "additive_triangle": Transformer(lambda: Language(AdditiveTriangle, approximate="tanh")),
    "scaled_dot_product": Transformer(lambda: Language(ScaledDotProduct)),
    "scaled_dot_product_with_mask": Transformer(lambda: Language(ScaledDotProductWithMask, tied=False)),
    "multi_head": Transformer(lambda: Language(MultiHead)),
    "multi_head_with_weights": Transformer(lambda: Language(lambda: MultiHead(True), tied=False)),
    "encoder_norm_first": Transformer(lambda: Encoder(True), labels=()),
    "encoder_norm_last": Transformer(lambda: Encoder(False), labels=()),
    "vision": Transformer(Vision, (1, 8, 8), ()),
}
