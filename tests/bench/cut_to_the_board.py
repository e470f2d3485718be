"""Two networks that are too large to be trained whole on their board: `--ram` cuts the training to fit, and this shows
what they then learn.

    python tests/bench/cut_to_the_board.py [--only ds_cnn|mobilenet_v1] [--measure] [--on-board]

    ds_cnn         MLPerf Tiny's keyword spotter in 96 KB: knows eight words from eight voices (synthetic speech of
                   espeak-ng) and learns a ninth one, which has an accent.
    mobilenet_v1   0.25, 96x96 pixels, in 256 KB: knows clothes (Fashion-MNIST) and learns to distinguish photographs
                   of faces from others (scikit-image's subset of Labeled Faces in the Wild).

The budget is for everything: the arena, and the buffers and the stack of the board's firmware. PyTorch pre-trains both.
--measure: measure contributions on the samples to learn, instead of estimating them by the rule of thumb.
--on-board: also train for a few steps on the emulated board, which must reach the twin's state, and print how its
memory is used. Needs torch, scikit-image (0.26.0) and espeak-ng.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn
from torch.nn import functional

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))

from numeric.models.networks import NETWORKS

from gradmote import losses, optimizers
from gradmote.budget import Found, Limits, Task, bytes_of, measure, search
from gradmote.budget.contributions import Settings
from gradmote.device import Dataset, TwinTarget, evaluate, fit, open_target
from gradmote.device.boards import board

from data import fashion_mnist, spoken_words
from shared.log_mel import log_mel

VOICES = ("en-us+m1", "en-us+m3", "en-gb-x-rp+m7", "en+Michael", "en-us+f1", "en-gb-x-rp+f3", "en+linda", "en-029+f4")
STEPS_ON_BOARD = 5


@dataclass(frozen=True)
class Transfer:
    """ram: budget. board: whose firmware is counted. known: samples to pre-train on; wanted: to learn and to test on.
    passes: over the known ones. head: classes of a fresh last layer, None to keep the old one. rate: of AdamW on the
    device. epochs: there."""

    ram: str
    board: str
    known: Callable[[], Dataset]
    wanted: Callable[[], Dataset]
    passes: int
    head: int | None
    rate: float
    epochs: int


def words(
    voices: tuple[str, ...], speeds: tuple[int, ...], pitches: tuple[int, ...], seed: int
) -> tuple[np.ndarray, np.ndarray]:
    sounds, labels = spoken_words.record(voices, speeds, pitches, takes=4, seed=seed)
    return np.stack([log_mel(sound, spoken_words.RATE, 49, 10) for sound in sounds])[:, None], labels


def of_voices(voices: tuple[str, ...], seed: int) -> Dataset:
    return Dataset(*words(voices, (140, 170), (35, 60), seed), *words(voices, (150, 160), (40, 55), seed + 1))


def eight_voices() -> Dataset:
    return of_voices(VOICES, seed=0)


def a_ninth_voice() -> Dataset:
    return of_voices(("es+m5",), seed=2)


def enlarged(pictures: np.ndarray) -> np.ndarray:
    """(n, h, w) in 0 .. 1 to (n, 3, 96, 96) around 0."""
    scaled = functional.interpolate(torch.from_numpy(pictures[:, None].astype(np.float32)), (96, 96), mode="bilinear")
    return ((scaled - 0.5) / 0.25).repeat(1, 3, 1, 1).numpy()


def clothes() -> Dataset:
    data = fashion_mnist.load(3000, 500)
    return Dataset(enlarged(data.x[:, 0] / 255), data.y, enlarged(data.x_test[:, 0] / 255), data.y_test)


def faces() -> Dataset:
    """200 photographs of 25x25 pixels, the first half of them faces; every other one is held out."""
    from skimage.data import lfw_subset

    x, y = enlarged(lfw_subset()), np.repeat([1, 0], 100)
    return Dataset(x[::2], y[::2], x[1::2], y[1::2])


TRANSFERS = {
    "ds_cnn": Transfer("96K", "mps2-an386", eight_voices, a_ninth_voice, 6, None, 2e-3, 10),
    "mobilenet_v1": Transfer("256K", "mps2-an500", clothes, faces, 4, 2, 2e-3, 10),
}


# ---- Before it is flashed


def pretrained(name: str, transfer: Transfer) -> onnx.ModelProto:
    """Train with PyTorch on what is known. If the task has other classes, replace the last layer with a fresh one."""
    torch.manual_seed(0)
    network, known = NETWORKS[name].build(), transfer.known()
    if transfer.head is not None:
        network[-1] = nn.Linear(network[-1].in_features, int(known.y.max()) + 1)
    rule = torch.optim.AdamW(network.parameters(), 2e-3)
    for _ in range(transfer.passes):
        for rows in torch.randperm(len(known.x)).split(32):
            x, y = torch.from_numpy(known.x[rows]), torch.from_numpy(known.y[rows]).long()
            rule.zero_grad()
            functional.cross_entropy(network(x), y).backward()
            rule.step()
    if transfer.head is not None:
        network[-1] = nn.Linear(network[-1].in_features, transfer.head)
    return as_onnx(network.eval(), NETWORKS[name].shape)


def as_onnx(network: nn.Module, shape: tuple[int, ...]) -> onnx.ModelProto:
    buffer = io.BytesIO()
    settings = {"input_names": ["x"], "output_names": ["y"], "dynamic_axes": {"x": {0: "N"}}, "dynamo": False}
    settings |= {"training": torch.onnx.TrainingMode.PRESERVE, "do_constant_folding": False}
    torch.onnx.export(network, (torch.zeros(1, *shape),), buffer, **settings)
    return onnx.load_model_from_string(buffer.getvalue())


def cut(model: onnx.ModelProto, transfer: Transfer, data: Dataset, measured: bool) -> Found:
    task = Task(model, losses.cross_entropy(), optimizers.adamw(transfer.rate))
    reported = lambda done, total, name: print(f"  {done} of {total}: {name}", flush=True)
    contributions = measure(task, data, Settings(epochs=1), reported) if measured else None
    return search(task, Limits(ram=bytes_of(transfer.ram)).beside(board(transfer.board)), contributions)


# ---- On the device


def learned(found: Found, data: Dataset, epochs: int) -> tuple[float, float]:
    """Return the accuracy on held-out samples before and after."""
    with TwinTarget() as target:
        target.load_image(found.result.image)
        before = evaluate(target, data).accuracy
        fit(target, data.without_test(), epochs, micro_batches=found.best.choice.micro_batches)
        return before, evaluate(target, data).accuracy


def on_board(found: Found, data: Dataset, name: str) -> str:
    """Train for a few steps on board and twin; return what the board reports of its memory."""
    few = Dataset(data.x[:STEPS_ON_BOARD], data.y[:STEPS_ON_BOARD])
    states = []
    with open_target(f"qemu:{name}") as target, TwinTarget(target.info().profile) as twin:
        for each in (target, twin):
            each.load_image(found.result.image)
            fit(each, few, 1)
            states.append(each.state())
        memory = target.mem()
    if states[0] != states[1]:
        raise SystemExit("the board and its twin differ")
    used = memory.arena_required + memory.stack_used + memory.static_ram
    return (
        f"on {name}: arena {memory.arena_required:,} B, stack {memory.stack_used:,} B, the firmware's own "
        f"{memory.static_ram:,} B, {used:,} B in all; the state is the twin's after {STEPS_ON_BOARD} steps"
    )


def show(name: str, transfer: Transfer, measured: bool, flashed: bool) -> None:
    data, its_board = transfer.wanted(), board(transfer.board)
    found = cut(pretrained(name, transfer), transfer, data, measured)
    firmware = its_board.static_ram + its_board.stack_bound
    print(f"{name}: {found.best.ram:,} B of arena beside {firmware:,} B of firmware, of {bytes_of(transfer.ram):,} B")
    for given_up in found.given_up():
        print(f"  {given_up}")
    before, after = learned(found, data, transfer.epochs)
    print(f"  held-out accuracy {before:.1%} -> {after:.1%} ({len(data.x)} samples learned, {len(data.x_test)} tested)")
    if flashed:
        print(f"  {on_board(found, data, transfer.board)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=TRANSFERS)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--on-board", action="store_true")
    arguments = parser.parse_args()
    for name in [arguments.only] if arguments.only else TRANSFERS:
        show(name, TRANSFERS[name], arguments.measure, arguments.on_board)


if __name__ == "__main__":
    main()
