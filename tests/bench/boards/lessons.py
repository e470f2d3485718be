"""The lessons for boards of different sizes: real data, and networks from a hundred bytes to what fills a Cortex-M4."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import onnx

from gradmote import losses, optimizers
from gradmote.compiler import Options, Result, compile_model
from gradmote.device import Dataset
from gradmote.device.boards import Board

sys.path.append(str(Path(__file__).resolve().parents[3] / "examples"))

from data import digits
from shared.networks import Network

RATE = 0.02


@dataclass(frozen=True)
class Lesson:
    """A network that starts from random weights, what it learns from, and how long."""

    name: str
    data: Callable[[], Dataset]
    network: Callable[[], onnx.ModelProto]
    batch: int
    epochs: int

    def compiled(self) -> Result:
        return compile_model(
            self.network(), losses.cross_entropy(), optimizers.sgd(RATE, momentum=0.9), Options(batch=self.batch)
        )


def convolutions() -> onnx.ModelProto:
    net = Network((1, 8, 8))
    net.conv(8, kernel=3, padding=1).relu().max_pool(2)
    net.conv(16, kernel=3, padding=1).relu().max_pool(2)
    return net.flatten().linear(10).model()


def perceptron(*sizes: int) -> onnx.ModelProto:
    net = Network((sizes[0],))
    for size in sizes[1:-1]:
        net.linear(size).relu()
    return net.linear(sizes[-1]).model()


@cache
def flat_digits() -> Dataset:
    """Each digit as 64 features."""
    square = digits.load()
    assert square.x_test is not None
    return replace(square, x=square.x.reshape(-1, 64), x_test=square.x_test.reshape(-1, 64))


@cache
def iris() -> Dataset:
    """Every third flower is held out. Each measure is scaled to mean 0 and deviation 1."""
    from sklearn.datasets import load_iris

    flowers = load_iris()
    x = ((flowers.data - flowers.data.mean(0)) / flowers.data.std(0)).astype(np.float32)
    y, held_out = flowers.target.astype(np.int64), np.arange(len(x)) % 3 == 0
    return Dataset(x[~held_out], y[~held_out], x[held_out], y[held_out])


#: The largest first.
LESSONS = [
    Lesson("digits, convolutions 8-16", digits.load, convolutions, batch=8, epochs=3),
    Lesson("digits, MLP 64-32-10", flat_digits, lambda: perceptron(64, 32, 10), batch=8, epochs=3),
    Lesson("digits, MLP 64-12-10", flat_digits, lambda: perceptron(64, 12, 10), batch=4, epochs=3),
    Lesson("iris, MLP 4-12-3", iris, lambda: perceptron(4, 12, 3), batch=4, epochs=10),
]


def lesson_for(board: Board) -> tuple[Lesson, Result]:
    """The largest that fits: the arena beside the firmware, the image in its area, two checkpoints in theirs."""
    for lesson in LESSONS:
        result = lesson.compiled()
        checkpoints = 2 * (result.layout.state_size + CHECKPOINT_OVERHEAD)
        if not board.lacks(result.layout.arena_size, len(result.image)) and checkpoints <= board.checkpoint_area:
            return lesson, result
    raise SystemExit(f"no lesson fits {board.name}")


CHECKPOINT_OVERHEAD = 128  # bytes of a checkpoint file and of its slot beside the state
