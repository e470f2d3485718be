"""The MLP that several tests train: 64-32-10 on scikit-learn's digits, from PyTorch's initial weights."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import onnx

from gradmote import losses
from gradmote.artifacts import Artifacts, build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.optimizers import Optimizer
from support.oracle import make_model, node

if TYPE_CHECKING:
    import torch

Batch = tuple[np.ndarray, np.ndarray]


@cache
def network() -> torch.nn.Sequential:
    import torch

    torch.set_num_threads(1)  # tests run side by side
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10))


def weights() -> dict[str, np.ndarray]:
    return {name: value.detach().numpy().copy() for name, value in network().state_dict().items()}


def model(dropout: float | None = None) -> onnx.ModelProto:
    """Return the model as written by torch.onnx.export; `dropout`: with that ratio after the first layer."""
    nodes = [node("Gemm", "x 0.weight 0.bias", "h", transB=1), node("Relu", "h", "a")]
    constants = {}
    if dropout is not None:
        nodes.append(node("Dropout", "a ratio", "d", name="drop"))
        constants["ratio"] = np.array(dropout, np.float32)
    nodes.append(node("Gemm", f"{'a' if dropout is None else 'd'} 2.weight 2.bias", "y", transB=1))
    return make_model(nodes, {**weights(), **constants}, {"x": ("N", 64)})


def artifacts(optimizer: Optimizer | None, dropout: float | None = None) -> Artifacts:
    return build_artifacts(model(dropout), None, losses.cross_entropy(), optimizer)


def image(optimizer: Optimizer | None, batch: int, accumulate: bool = False, dropout: float | None = None) -> bytes:
    return compile_image(artifacts(optimizer, dropout), Options(batch=batch, accumulate=accumulate)).image


@cache
def samples() -> Batch:
    """Return pixels scaled to 0 .. 1, and labels."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    return (digits.data / 16).astype(np.float32), digits.target.astype(np.int64)


def batches(size: int, count: int) -> list[Batch]:
    """Return the first size * count samples, in order."""
    pixels, labels = samples()
    return [(pixels[i * size : (i + 1) * size], labels[i * size : (i + 1) * size]) for i in range(count)]


def torch_losses(
    make: Callable[[Sequence[torch.nn.Parameter]], torch.optim.Optimizer],
    data: Sequence[Batch],
    before_step: Callable[[torch.nn.Module], object] = lambda net: None,
    schedule: Callable[[torch.optim.Optimizer], torch.optim.lr_scheduler.LRScheduler] | None = None,
) -> Iterator[float]:
    """Yield PyTorch's loss before each update, in float64 from the same float32 start."""
    import torch

    net = copy.deepcopy(network()).double()
    optimizer = make(list(net.parameters()))
    scheduler = schedule(optimizer) if schedule else None
    for pixels, labels in data:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(torch.tensor(pixels).double()), torch.tensor(labels))
        loss.backward()
        before_step(net)
        optimizer.step()
        if scheduler:
            scheduler.step()
        yield loss.item()
