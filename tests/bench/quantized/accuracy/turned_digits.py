"""Two small networks know handwritten digits, and learn them turned by 90 degrees. Neither has a batch norm, and their
first weights are PyTorch's own, which are small: so is one scale of int8.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import onnx
from bench.quantized.accuracy.tasks import Lesson

from data import digits

#: The upright digits are learned in so many epochs, with batches of so many.
EPOCHS, BATCH, RATE = 10, 32, 0.003
CALIBRATION, SAMPLES = 64, 500


@cache
def pictures() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return upright digits (N, 1, 8, 8) in 0 .. 1 and labels to learn from, and to test on."""
    d = digits.load()
    assert d.x_test is not None and d.y_test is not None
    x, x_test = ((part * np.float32(d.scale)).astype(np.float32) for part in (d.x, d.x_test))
    return x, d.y.astype(np.int32), x_test, d.y_test.astype(np.int32)


def turned(upright: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.rot90(upright, axes=(2, 3)))


def lesson(model: Callable[[], onnx.ModelProto]) -> Callable[[int], Lesson]:
    """Return what makes the lesson of a seed, which draws the samples."""

    def drawn(seed: int) -> Lesson:
        x, y, x_test, y_test = pictures()
        chosen = np.random.default_rng(seed).permutation(len(x))[:SAMPLES]
        given = turned(x[chosen])
        calibration = np.concatenate([x[:CALIBRATION], given[:CALIBRATION]])
        return Lesson(model(), calibration, given, y[chosen], turned(x_test), y_test)

    return drawn


@cache
def dense() -> onnx.ModelProto:
    """Return a trained MLP 64-32-10."""
    from torch import nn

    return trained(lambda: nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)))


@cache
def convolutions() -> onnx.ModelProto:
    """Return a trained network of two convolutions with max-pools, and a dense layer."""
    from torch import nn

    def block(inputs: int, outputs: int) -> list[nn.Module]:
        return [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]

    return trained(lambda: nn.Sequential(*block(1, 8), *block(8, 16), nn.Flatten(), nn.Linear(64, 10)))


def trained(make):  # type: ignore[no-untyped-def]  # of PyTorch, which is imported late
    """Return the network that `make` returns, trained with Adam on upright digits, as ONNX."""
    import torch
    from numeric.models.onnx_network import onnx_network

    torch.set_num_threads(1)
    torch.manual_seed(0)
    module = make()
    x, y = (torch.from_numpy(part) for part in pictures()[:2])
    optimizer = torch.optim.Adam(module.parameters(), RATE)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(x)).split(BATCH):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(module(x[batch]), y[batch].long()).backward()
            optimizer.step()
    return onnx_network(module.eval(), x.shape[1:])
