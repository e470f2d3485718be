"""The smallest boards learn real data, typed at their console, to their twin's bits: 16 KB and 8 KB of RAM."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.device import BoardTarget, Target, TwinTarget
from gradmote.device.boards import board
from gradmote.device.client import Client
from gradmote.device.emulator import Emulator
from gradmote.device.link import Link
from support import digits
from support.console_text import read_prompt
from support.firmware import build_firmware
from support.oracle import make_model, node

pytestmark = pytest.mark.device

Batches = list[tuple[np.ndarray, np.ndarray]]
BATCH = 5


def flowers() -> Batches:
    """All of iris, shuffled; columns of mean 0 and deviation 1."""
    from sklearn.datasets import load_iris

    iris = load_iris()
    order = np.random.default_rng(0).permutation(len(iris.target))
    x = ((iris.data - iris.data.mean(axis=0)) / iris.data.std(axis=0)).astype(np.float32)[order]
    return list(zip(np.split(x, len(x) // BATCH), np.split(iris.target[order], len(x) // BATCH), strict=True))


def flower_image() -> bytes:
    """4-16-3 with ReLU and AdamW."""
    rng = np.random.default_rng(0)
    shapes = {"w1": (4, 16), "b1": (16,), "w2": (16, 3), "b2": (3,)}
    weights = {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    nodes = [node("Gemm", "x w1 b1", "h"), node("Relu", "h", "a"), node("Gemm", "a w2 b2", "y")]
    model = make_model(nodes, weights, {"x": ("N", 4)})
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.adamw(0.02))
    return compile_image(made, Options(batch=BATCH)).image


@pytest.fixture
def started() -> Iterator[Callable[[str, bytes], Link]]:
    """Starts a board with an image, and gives the line to it."""
    running: list[Emulator] = []

    def start(name: str, image: bytes) -> Link:
        build_firmware(board=name)
        preloaded = None if board(name).flash_is_emulated else image
        running.append(Emulator(name, image=preloaded))
        link = running[-1].take_link()
        read_prompt(link)
        return link

    yield start
    for emulator in running:
        emulator.stop()


def give(target: Target, x: np.ndarray, y: np.ndarray) -> None:
    target.write("input", 0, x)
    target.write("label", 0, y.astype(np.int32))


def train_from_console(link: Link, target: BoardTarget, batches: Batches, steps: int) -> list[float]:
    """The losses that the console prints. steps: on each batch."""
    printed = []
    for x, y in batches:
        give(target, x, y)
        link.write(b"train %d\r" % steps)
        printed += [float(loss) for loss in re.findall(r"loss (\S+)  step \d", read_prompt(link))]
    return printed


def train_twin(image: bytes, batches: Batches, steps: int) -> bytes:
    with TwinTarget("strict") as twin:
        twin.load_image(image)
        for x, y in batches:
            give(twin, x, y)
            for _ in range(steps):
                twin.run("step")
        return twin.state()


@pytest.mark.parametrize(
    ("name", "image", "batches", "share"),
    [
        ("microbit", digits.image(optimizers.sgd(0.1), batch=4), digits.batches(4, 40), 0.7),
        ("stm32vldiscovery", flower_image(), 2 * flowers(), 0.3),
    ],
)
def test_a_small_board_learns(started, name: str, image: bytes, batches: Batches, share: float) -> None:
    """share: of the first losses' mean that the last ones have at the most."""
    link = started(name, image)
    target = BoardTarget(Client(link))
    target.load_image(image)
    printed = train_from_console(link, target, batches, steps=3)
    assert len(printed) == 3 * len(batches)
    assert np.mean(printed[-30:]) < share * np.mean(printed[:30])
    memory = target.mem()
    assert memory.arena_required <= memory.arena_available
    assert memory.stack_used <= board(name).stack_bound <= memory.stack_size
    assert target.state() == train_twin(image, batches, steps=3)
