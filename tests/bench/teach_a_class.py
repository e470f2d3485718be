"""A class that the model never saw, taught by hand: how well it is then recognized, and what the others lose.

    python tests/bench/teach_a_class.py [--on-board] [--classes 0,8] [--samples 20] [--steps 500] [--json FILE]

A CNN learns scikit-learn's handwritten digits on the host, all except one class, with a head that has room for it. Its
image has a store that begins with some of the samples it was trained on. Then `learn` adds 20 samples of the missing
class, and the store is replayed: on the twin, or with --on-board on an emulated Cortex-M4F, in its idle time. The
board's state must then be that of the twin after as many steps.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import onnx

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))

from gradmote import losses, optimizers
from gradmote.artifacts.export import trained_model
from gradmote.compiler import Options, Result, compile_model
from gradmote.compiler.sample_store import StoreOptions
from gradmote.device import BoardTarget, Dataset, Target, TwinTarget, fit, open_target, predict

from data import digits
from shared.networks import Network

BOARD = "qemu:mps2-an386"
#: Of the training on the host, and of that on the device.
EPOCHS, HOST_RATE, HOST_BATCH = 12, 0.01, 8
RATE, MOMENTUM, BATCH, CAPACITY = 0.01, 0.9, 4, 200
SAMPLES, STEPS = 20, 500
#: Idle training goes on when the line has been quiet for a second: it is not asked more often than that.
ASK_SECONDS = 4.0


@dataclass(frozen=True)
class Row:
    """One missing class. before, after: accuracies of the old classes, held out. recall: on all samples of the
    new class but those taught. steps: of training on the device. state: SHA-256."""

    label: int
    before: float
    after: float
    recall: float
    recall_before: float
    steps: int
    seconds: float
    state: str

    @property
    def lost(self) -> float:
        return self.before - self.after


@dataclass(frozen=True)
class Lesson:
    """host: what the model was trained on. taught: the samples for learn. new, old: held-out samples."""

    label: int
    host: Dataset
    taught: np.ndarray
    new: np.ndarray
    old: np.ndarray
    old_labels: np.ndarray


def lesson(label: int, samples: int) -> Lesson:
    data = digits.load()
    x, x_test = widened(data.x), widened(data.x_test)
    mine, own = x[data.y == label], data.y_test == label
    host = Dataset(x[data.y != label], data.y[data.y != label])
    new = np.concatenate([mine[samples:], x_test[own]])
    return Lesson(label, host, mine[:samples], new, x_test[~own], data.y_test[~own])


def widened(pixels: np.ndarray | None) -> np.ndarray:
    """0 .. 16 as 0 .. 1."""
    assert pixels is not None
    return (pixels / 16).astype(np.float32)


def network() -> onnx.ModelProto:
    net = Network((1, 8, 8)).conv(16, kernel=3, padding=1).relu().max_pool(2).conv(32, kernel=3, padding=1).relu()
    return net.flatten().linear(10).model()


def pretrained(given: Lesson) -> onnx.ModelProto:
    """The network after training on the host."""
    model = network()
    compiled = compile_model(model, losses.cross_entropy(), optimizers.adamw(HOST_RATE), Options(batch=HOST_BATCH))
    with TwinTarget() as target:
        target.load_image(compiled.image)
        target.set_linear_schedule(HOST_RATE, 0, EPOCHS * (len(given.host.x) // HOST_BATCH))
        fit(target, given.host, EPOCHS)
        return trained_model(model, target.save())


def with_store(model: onnx.ModelProto, given: Lesson, capacity: int = CAPACITY) -> Result:
    """An image for the device; its store begins with samples that the model was trained on."""
    store = StoreOptions(capacity, "int8", given.host.x, given.host.y)
    optimizer = optimizers.sgd(RATE, momentum=MOMENTUM)
    return compile_model(model, losses.cross_entropy(), optimizer, Options(batch=BATCH, store=store))


def accuracies(target: Target, given: Lesson) -> tuple[float, float]:
    """(of the old classes, recall of the new one), on what was held out."""
    old = predict(target, given.host, given.old).argmax(axis=1)
    new = predict(target, given.host, given.new).argmax(axis=1)
    return float((old == given.old_labels).mean()), float((new == given.label).mean())


def train(target: Target, steps: int) -> int:
    """Replay the store: a board in its idle time, for as many steps or a few more. Return how many."""
    if not isinstance(target, BoardTarget):
        return [target.replay().train_steps for _ in range(steps)][-1]
    target.board.set_idle_training(True)
    while target.board.metrics().train_steps < steps:
        time.sleep(ASK_SECONDS)
    target.board.set_idle_training(False)
    return target.board.metrics().train_steps


def teach(target: Target, given: Lesson, steps: int) -> int:
    """Teach the lesson itself. Return how many steps it took."""
    for sample in given.taught:
        target.learn(given.label, sample)
    return train(target, steps)


def measured(target: Target, compiled: Result, given: Lesson, steps: int) -> Row:
    target.load_image(compiled.image)
    before, recall_before = accuracies(target, given)
    start = time.perf_counter()
    done = teach(target, given, steps)
    seconds = time.perf_counter() - start
    state = hashlib.sha256(target.state()).hexdigest()
    after, recall = accuracies(target, given)
    return Row(given.label, before, after, recall, recall_before, done, seconds, state)


def on_board(compiled: Result, given: Lesson, steps: int) -> Row:
    """Do as measured(), on the board; its state must be that of its twin."""
    with open_target(BOARD) as target:
        found = measured(target, compiled, given, steps)
        with TwinTarget(target.info().profile) as twin:
            expected = measured(twin, compiled, given, found.steps)
    if (found.after, found.recall, found.state) != (expected.after, expected.recall, expected.state):
        raise SystemExit(f"class {given.label}: the board has {found}, its twin {expected}")
    return found


def rows(labels: list[int], samples: int, steps: int, board: bool) -> Iterator[Row]:
    for label in labels:
        given = lesson(label, samples)
        compiled = with_store(pretrained(given), given)
        if board:
            yield on_board(compiled, given, steps)
        else:
            with TwinTarget() as twin:
                yield measured(twin, compiled, given, steps)


def show(row: Row) -> None:
    print(
        f"{row.label:>5}{row.recall_before:>14.1%}{row.recall:>8.1%}{row.before:>14.1%}{row.after:>8.1%}"
        f"{100 * row.lost:>9.1f}{row.steps:>8}{row.seconds:>7.0f} s  {row.state[:12]}",
        flush=True,
    )


def summary(found: list[Row]) -> str:
    recalls, lost = [row.recall for row in found], [100 * row.lost for row in found]
    return (
        f"mean: recall {np.mean(recalls):.1%}, old classes lose {np.mean(lost):.1f} points\n"
        f"worst: recall {min(recalls):.1%}, old classes lose {max(lost):.1f} points"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on-board", action="store_true", help=f"teach {BOARD}, in its idle time")
    parser.add_argument("--classes", default="0,1,2,3,4,5,6,7,8,9", help="the missing class: each of these in turn")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="given with learn")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all rows there")
    arguments = parser.parse_args()
    print("class  new: before   after   old: before   after  points   steps   time    state")
    found = []
    labels = [int(label) for label in arguments.classes.split(",")]
    for row in rows(labels, arguments.samples, arguments.steps, arguments.on_board):
        found.append(row)
        show(row)
    print(summary(found))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in found], indent=1) + "\n")


if __name__ == "__main__":
    main()
