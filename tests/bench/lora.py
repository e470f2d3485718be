"""LoRA on a transformer of four layers: what trains, the RAM that it takes, and the curve beside peft's own.

    cd tests && python -m bench.lora [--steps 200]

The transformer first learns one language with torch; then it learns another, whole or by adapters that peft puts into
it (a package that is not among the tests' requirements). gradmote.torch takes both as they are. A language is drawn:
each token follows from the two before it.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / part) for part in ("tests", "site_scons", "bindings/python")]

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

import gradmote.torch as front  # noqa: E402
from gradmote.formats.image import read_image  # noqa: E402

TOKENS, LENGTH, WIDTH, HEADS, LAYERS, BATCH = 32, 16, 64, 4, 4, 8


class Block(nn.Module):
    """Attention that sees what was before, and two dense layers."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = self.qkv(self.before(x)).reshape(-1, LENGTH, 3, HEADS, WIDTH // HEADS)
        q, k, v = (parts[:, :, i].transpose(1, 2) for i in range(3))
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(-1, LENGTH, WIDTH))
        return x + self.down(F.gelu(self.up(self.between(x))))


class Transformer(nn.Module):
    """Scores of the next token, for each position."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.places = nn.Embedding(TOKENS, WIDTH), nn.Parameter(0.02 * torch.randn(LENGTH, WIDTH))
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, TOKENS)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.blocks(self.embedding(ids) + self.places))).transpose(1, 2)


def samples(language: int, steps: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield ids and the tokens that follow, (BATCH, LENGTH)."""
    random = np.random.default_rng(language)
    follows = random.integers(0, TOKENS, (TOKENS, TOKENS))
    for _ in range(steps):
        rows = random.integers(0, TOKENS, (BATCH, LENGTH + 1))
        for k in range(2, LENGTH + 1):
            rows[:, k] = follows[rows[:, k - 2], rows[:, k - 1]]
        yield torch.tensor(rows[:, :-1]), torch.tensor(rows[:, 1:])


def learned(module: nn.Module, steps: int) -> nn.Module:
    """Return the module after steps on the first language."""
    optimizer = torch.optim.AdamW(module.parameters(), 3e-3)
    for ids, labels in samples(1, steps):
        optimizer.zero_grad()
        F.cross_entropy(module(ids), labels).backward()
        optimizer.step()
    return module


def curves(module: nn.Module, steps: int) -> tuple[front.Made, list[float], list[float]]:
    """Return the compiled module, and the losses of its image and of torch, each before its step."""
    own = copy.deepcopy(module)
    optimizer = torch.optim.AdamW([p for p in own.parameters() if p.requires_grad], 3e-3)
    made = front.compile(own, next(samples(2, 1))[0], nn.CrossEntropyLoss(), optimizer, batch=BATCH)
    ours, theirs = [], []
    with made.session() as session:
        for ids, labels in samples(2, steps):
            ours.append(session.step(ids.int().numpy(), labels.int().numpy()))
            optimizer.zero_grad()
            loss = F.cross_entropy(own(ids), labels)
            loss.backward()
            optimizer.step()
            theirs.append(loss.item())
    return made, ours, theirs


def with_adapters(module: nn.Module) -> nn.Module:
    """Return the module with peft's LoRA in its attention and dense layers."""
    import peft

    config = peft.LoraConfig(r=4, lora_alpha=8, target_modules=["qkv", "out", "up", "down"])
    return peft.get_peft_model(copy.deepcopy(module), config)


def show(name: str, module: nn.Module, steps: int) -> float:
    """Print a row, with the mean of the first and the last five losses, and return the worst relative difference."""
    made, ours, theirs = curves(module, steps)
    header = read_image(made.image).header
    trained = sum(p.numel() for p in module.parameters() if p.requires_grad)
    worst = max(abs(a - b) / b for a, b in zip(ours, theirs, strict=True))
    print(
        f"{name:10}{trained:12,}{header['arena_size']:14,}{header['state_size']:14,}"
        f"{np.mean(ours[:5]):10.4f}{np.mean(ours[-5:]):10.4f}{worst:12.1e}"
    )
    return worst


def main() -> int:
    """Print the table, and return 1 if a curve is another than torch's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    steps = parser.parse_args().steps
    torch.manual_seed(0)
    module = learned(Transformer(), 2 * steps)
    print(f"{'':10}{'trained':>12}{'arena, B':>14}{'state, B':>14}{'first':>10}{'last':>10}{'worst':>12}")
    found = [show("full", module, steps), show("LoRA", with_adapters(module), steps)]
    return int(max(found) > 1e-3)


if __name__ == "__main__":
    raise SystemExit(main())
