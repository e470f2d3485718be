"""A million training steps on an emulated Cortex-M4F, with saves and restarts at random moments: does its state stay
that of its twin on this computer?

    cd tests && python -m bench.soak [--board mps2-an386] [--steps 1000000] [--moments 400] [--seed 0] [--json FILE]

An MLP with dropout learns iris with AdamW, on a schedule as long as the run, from samples of its store that are drawn
afresh for each step: bias corrections, learning rate, and the counters of both random generators go through every
checkpoint. The board trains by `train STEPS`, sometimes by REPLAY frames. At each moment it saves, returns to its
checkpoint, restarts after a save, or restarts without one and so falls back to the last. The twin does the same; the
SHA-256 of both states are compared before and after, and those of the checkpoints of each save.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from bench.boards.lessons import Network, iris

from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.compiler.sample_store import StoreOptions
from gradmote.device import BoardTarget, TwinTarget, emulated_board
from gradmote.device.progress import progress_bar

BOARD, STEPS, MOMENTS = "mps2-an386", 1_000_000, 400
HIDDEN, DROPOUT, BATCH, CAPACITY, RATE = 8, 0.25, 2, 60, 0.003
#: What happens at a moment, and how often beside the others.
EVENTS = {"save": 4, "save, restart": 3, "restart": 2, "load": 1}
#: Of so few steps, each is a frame.
FRAMES = 20
ROWS = 10


class Drift(Exception):
    """Board and twin differ; the message says at which step."""


class Learner(Protocol):
    """Board or twin. It trains on its store, keeps one checkpoint, and restarts."""

    def train(self, steps: int) -> None: ...

    def save(self) -> bytes:
        """Keep a checkpoint, and return it."""

    def load(self) -> None:
        """Return to the checkpoint."""

    def restart(self) -> None:
        """Restart as after power-on: go on from the checkpoint."""

    def state(self) -> bytes: ...


class OnBoard:
    """A board. target: with the image."""

    def __init__(self, target: BoardTarget) -> None:
        self.target, self.save, self.state = target, target.save, target.state
        self.load, self.restart = target.board.load_kept_checkpoint, target.board.reboot

    def train(self, steps: int) -> None:
        if steps > FRAMES:
            self.target.board.type(f"train {steps}")
        else:
            for _ in range(steps):
                self.target.replay()


class OnTwin:
    """The twin of a board. target: with the image."""

    def __init__(self, target: TwinTarget) -> None:
        self.target, self.state = target, target.state
        self._kept = b""

    def train(self, steps: int) -> None:
        for _ in range(steps):
            self.target.session.replay()

    def save(self) -> bytes:
        self._kept = self.target.save()
        return self._kept

    def load(self) -> None:
        self.target.load(self._kept)

    def restart(self) -> None:
        self.target.load_image(self.target.image())
        self.load()


@dataclass
class Soaked:
    """How far it is. steps: of the state. saved: of the checkpoint. trained: those too that a restart lost. compared:
    states and checkpoints, each of them equal. state: its SHA-256."""

    steps: int = 0
    saved: int = 0
    trained: int = 0
    events: dict[str, int] = field(default_factory=lambda: dict.fromkeys(EVENTS, 0))
    compared: int = 0
    state: str = ""
    seconds: float = 0.0


def image(steps: int) -> bytes:
    """The model with its samples, for any board."""
    data, net = iris(), Network((4,))
    net.linear(HIDDEN).relu().node("Dropout", net.weight("ratio", np.array(DROPOUT))).linear(3)
    store = StoreOptions(CAPACITY, "int8", data.x, data.y)
    update = optimizers.adamw(RATE)
    return compile_model(net.model(), losses.cross_entropy(), update, Options(batch=BATCH, store=store)).image


def prepare(target: BoardTarget | TwinTarget, steps: int, seed: int, model: bytes = b"") -> None:
    """Load the image of this module, or another one with a store, and set it to learn for so many steps."""
    target.load_image(model or image(steps))
    target.set_seed(seed)
    target.set_linear_schedule(RATE, steps // 1000, steps)


def soak(board: Learner, twin: Learner, steps: int, moments: int, seed: int) -> Iterator[Soaked]:
    """Train to `steps` with about so many moments on the way, and yield the progress after each. Raise Drift."""
    draw, done, start = random.Random(seed), Soaked(), time.perf_counter()
    _happen("save", board, twin, done)
    while done.steps < steps:
        count = min(1 + int(draw.expovariate(moments / steps)), steps - done.steps)
        for learner in (board, twin):
            learner.train(count)
        done.steps, done.trained = done.steps + count, done.trained + count
        _compare(board.state(), twin.state(), done, "the state")
        last = done.steps == steps
        _happen("save, restart" if last else draw.choices(*zip(*EVENTS.items()))[0], board, twin, done)
        done.seconds = time.perf_counter() - start
        yield done


def _happen(event: str, board: Learner, twin: Learner, done: Soaked) -> None:
    if "save" in event:
        _compare(board.save(), twin.save(), done, "the checkpoint")
        done.saved = done.steps
    if "restart" in event:
        board.restart(), twin.restart()
    if event == "load":
        board.load(), twin.load()
    done.steps = done.saved
    done.events[event] += 1
    _compare(board.state(), twin.state(), done, f"the state after {event}")


def _compare(board: bytes, twin: bytes, done: Soaked, what: str) -> None:
    found, expected = (hashlib.sha256(data).hexdigest() for data in (board, twin))
    if found != expected:
        raise Drift(f"{what} at step {done.steps}, {done.trained} trained: {found[:12]}, the twin's {expected[:12]}")
    done.compared += 1
    done.state = found if what.startswith("the state") else done.state


def soak_board(name: str, steps: int, moments: int, seed: int, tell: Callable[[Soaked], None]) -> Soaked:
    """A new emulated board and its twin, to the end. Raises Drift."""
    with emulated_board(name) as target, TwinTarget(target.info().profile) as twin:
        for each in (target, twin):
            prepare(each, steps, seed)
        for done in soak(OnBoard(target), OnTwin(twin), steps, moments, seed):
            tell(done)
    return done


class Table:
    """A row for each tenth of the steps."""

    def __init__(self, steps: int) -> None:
        self._steps, self._rows = steps, 0
        print("      step    trained  saves  restarts: after a save  without  loads  compared    time  state")

    def __call__(self, done: Soaked) -> None:
        if done.steps * ROWS // self._steps > self._rows:
            self._rows = done.steps * ROWS // self._steps
            print(row(done), flush=True)


def row(done: Soaked) -> str:
    saved, both, lost, loaded = (done.events[event] for event in EVENTS)
    return (
        f"{done.steps:>10,}{done.trained:>11,}{saved + both:>7,}{both:>24,}{lost:>9,}{loaded:>7,}{done.compared:>10,}"
        f"{done.seconds:>6.0f} s  {done.state[:12]}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", default=BOARD, help="an emulated board that keeps what is saved")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--moments", type=int, default=MOMENTS, help="about so many, at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the last row there")
    arguments = parser.parse_args()
    table = Table(arguments.steps)
    with progress_bar() as bar:
        task = bar.add_task(f"soak {arguments.board}", total=arguments.steps)

        def tell(done: Soaked) -> None:
            bar.update(task, completed=done.steps)
            table(done)

        try:
            done = soak_board(arguments.board, arguments.steps, arguments.moments, arguments.seed, tell)
        except Drift as drift:
            raise SystemExit(f"{arguments.board} and its twin differ: {drift}") from None
    print(f"{done.compared:,} comparisons, {done.trained:,} steps: no drift")
    if arguments.json:
        arguments.json.write_text(json.dumps({**asdict(done), "board": arguments.board}, indent=1) + "\n")


if __name__ == "__main__":
    main()
