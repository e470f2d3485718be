"""One board: flashed, booted, trained over its serial line, compared with its twin, restarted, counted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.boards.lessons import Lesson, lesson_for

from gradmote.compiler import Result
from gradmote.device import BoardTarget, Target, TwinTarget, emulated_board, evaluate, fit
from gradmote.device.boards import Board
from gradmote.device.client import Client
from gradmote.device.emulated_firmware import default_firmware
from gradmote.device.emulator import SECONDS_PER_INSTRUCTION
from gradmote.device.flash.emulated import program, stop
from gradmote.device.samples import write_batch
from gradmote.device.types import Memory

COUNTED_STEPS = 3
TYPED_STEPS = 3
READ_ONLY = "—"


@dataclass(frozen=True)
class Learned:
    """Accuracies on held-out samples, and SHA-256 of the state, in hex."""

    before: float
    after: float
    state: str


@dataclass(frozen=True)
class Figures:
    """The figures of one board. Sizes are in bytes. kept: "yes" if the state came back after a save and a restart,
    READ_ONLY if the emulator cannot program flash. instructions: machine instructions of one training step."""

    board: Board
    lesson: Lesson
    result: Result
    learned: Learned
    kept: str
    memory: Memory
    instructions: int


def measure(board: Board) -> Figures:
    """Measure a board. Raise SystemExit if it learns anything other than its twin."""
    lesson, result = lesson_for(board)
    with TwinTarget(board.profile) as twin:
        expected = learn(twin, lesson, result.image)
    with flashed(board, result.image) as target:
        learned = learn(target, lesson, result.image, lambda: target.board.type(f"train {TYPED_STEPS}"))
        if learned != expected:
            raise SystemExit(f"{board.name} learned {learned}, its twin {expected}")
        memory, kept = target.board.mem(), restart(board, target, learned)
    return Figures(board, lesson, result, learned, kept, memory, instructions_per_step(board, lesson, result.image))


@contextmanager
def flashed(board: Board, image: bytes) -> Iterator[BoardTarget]:
    """Boot a new part with the firmware, and with the image too if the emulator cannot program flash."""
    part = program(default_firmware(board.name), board, None if board.flash_is_emulated else image)
    try:
        with BoardTarget(Client.connect(part.url)) as target:
            yield target
    finally:
        stop(board.name)


def learn(target: Target, lesson: Lesson, image: bytes, train_on: Callable[[], object] | None = None) -> Learned:
    """Train for the epochs through frames, then take a few steps on the last batch: through `train_on` if it is given,
    which types them."""
    data = lesson.data()
    target.load_image(image)
    before = evaluate(target, data).accuracy
    fit(target, data.without_test(), lesson.epochs)
    if train_on is None:
        for _ in range(TYPED_STEPS):
            target.run("step")
    else:
        train_on()
    return Learned(before, evaluate(target, data).accuracy, sha256(target))


def sha256(target: Target) -> str:
    return hashlib.sha256(target.state()).hexdigest()


def restart(board: Board, target: BoardTarget, learned: Learned) -> str:
    """Save, restart the board, and return "yes" if the state came back. Return READ_ONLY if the emulator cannot program
    flash, and raise SystemExit if another state came back."""
    if not board.flash_is_emulated:
        return READ_ONLY
    target.save()
    target.board.reboot()
    if sha256(target) != learned.state:
        raise SystemExit(f"{board.name} came back with another state")
    return "yes"


def instructions_per_step(board: Board, lesson: Lesson, image: bytes) -> int:
    """Return the mean of a few, on a clock that counts them."""
    data, batch = lesson.data(), lesson.batch
    assert data.y is not None
    with emulated_board(board.name, icount=True) as target:
        target.load_image(image)
        write_batch(target, data, data.x[:batch], data.y[:batch])
        seconds = sum(target.run("step").seconds for _ in range(COUNTED_STEPS))
    return round(seconds / COUNTED_STEPS / SECONDS_PER_INSTRUCTION)
