"""PyTorch, eager, one thread, with its fused AdamW, its fastest."""

from __future__ import annotations

import torch
from bench.speed.networks import NETWORKS
from serve import Run, data, serve
from torch.nn import functional


def open_case(folder: str, network: str, program: str, rate: float, statistics: str) -> Run:
    torch.set_num_threads(1)
    x, y = map(torch.from_numpy, data(folder))
    module = NETWORKS[network].make()
    if program == "infer":
        return torch.inference_mode()(lambda: module(x))
    module.train(statistics == "batch")
    return trainer(module, functional.cross_entropy if NETWORKS[network].classes else functional.mse_loss, rate, x, y)


def trainer(module: torch.nn.Module, loss: functional, rate: float, x: torch.Tensor, y: torch.Tensor) -> Run:
    optimizer = torch.optim.AdamW(module.parameters(), rate, fused=True)

    def run() -> float:
        value = loss(module(x), y)
        value.backward()
        optimizer.step()
        optimizer.zero_grad()
        return value.item()

    return run


if __name__ == "__main__":
    serve(f"PyTorch {torch.__version__}", open_case)
