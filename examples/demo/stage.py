"""The steps of every demonstration.

An image goes to the board, which is tested, trained and tested again. The twin does the same. Then
the trained model is exported as ONNX.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

from gradmote.artifacts.export import export_inference
from gradmote.compiler.compile import Result
from gradmote.device.board_target import BoardTarget
from gradmote.device.dataset import Array, Dataset
from gradmote.device.emulator import SECONDS_PER_INSTRUCTION, Emulator
from gradmote.device.fitting import Fit, train_once
from gradmote.device.progress import fit_with_progress, load_with_progress, predict_with_progress
from gradmote.device.samples import write_batch
from gradmote.device.target import Target
from gradmote.device.target_factory import open_target
from gradmote.device.twin_target import TwinTarget
from gradmote.device.types import Memory
from gradmote.errors import DeviceError
from gradmote.formats.files import Output, make_folder, write_atomically
from gradmote.terminal.terminal import Console

console = Console()


@dataclass(frozen=True)
class Lesson:
    """The lesson that a demonstration teaches the board.

    `data` has a test set. `output` is the model's output with the scores of the classes. With
    `test_each_epoch` the board is tested after each epoch, which takes as long as sending the samples
    over the serial line; the twin is always tested.
    """

    name: str  #: the stem of the files' names
    title: str
    model: onnx.ModelProto
    compiled: Result
    data: Dataset
    epochs: int
    output: str
    test_each_epoch: bool = True

    @property
    def tests(self) -> tuple[Array, Array]:
        """Return the held-out samples and their classes."""
        assert self.data.x_test is not None and self.data.y_test is not None
        return self.data.x_test, self.data.y_test


@dataclass(frozen=True)
class Answers:
    """The classes that a model assigns to the held-out samples, and the correct ones."""

    given: Array
    right: Array

    @property
    def accuracy(self) -> float:
        """Return the share of correct answers."""
        return float((self.given == self.right).mean())

    def of_class(self, label: int) -> float:
        """Return the share of recognized samples of one class."""
        return float((self.given[self.right == label] == label).mean())


@dataclass(frozen=True)
class Trained:
    """The results of training on one target."""

    before: Answers
    after: Answers
    fit: Fit
    losses: list[float]  #: the loss of each step
    checkpoint: bytes
    state: str  #: its SHA-256
    target: str
    profile: str


@dataclass(frozen=True)
class Outcome:
    """The results of a demonstration.

    `twin`, `memory` and `instructions` are None without a board. `exported` has the answers of
    onnxruntime.
    """

    lesson: Lesson
    trained: Trained
    twin: Trained | None
    exported: Answers
    memory: Memory | None
    instructions: int | None

    @property
    def curve(self) -> Trained:
        """Return the training that was tested after each epoch.

        It is bitwise equal to the board's.
        """
        return self.twin or self.trained


def run(lesson: Lesson, on: str, out: Path) -> Outcome:
    """Run the lesson and print each step.

    The model, the image, the checkpoint and the trained model go to `out`.
    """
    model = save_model(lesson, out)
    checkpoint = Output(out / "learned.gmck")
    with open_or_twin(on) as target:
        trained = train(target, lesson, lesson.test_each_epoch or isinstance(target, TwinTarget))
        memory = target.mem()
    checkpoint.write(trained.checkpoint)
    twin = None if isinstance(target, TwinTarget) else compare_with_twin(trained, lesson)
    export_inference(model, checkpoint.path, out / "better.onnx")
    exported = Answers(onnxruntime_classes(out / "better.onnx", lesson), lesson.tests[1])
    say(f"exported {out / 'better.onnx'}; onnxruntime gets {exported.accuracy:.1%} of what was held out right")
    instructions = count_instructions(lesson) if on.startswith("qemu") and memory is not None else None
    return Outcome(lesson, trained, twin, exported, memory, instructions)


def say(text: str) -> None:
    """Print one step of the demonstration."""
    console.print(f"[bold green]*[/] {text}", highlight=False, soft_wrap=True)


# ---- On the host


def save_model(lesson: Lesson, out: Path) -> Path:
    """Write the model and its image, and return the model's path."""
    path, image, compiled = out / f"{lesson.name}.onnx", out / f"{lesson.name}.mote", lesson.compiled
    make_folder(out)
    write_atomically(path, lesson.model.SerializeToString())
    write_atomically(image, compiled.image)
    say(f"compiled: {image}, {len(compiled.image):,} B of flash, {compiled.layout.arena_size:,} B of RAM")
    return path


def onnxruntime_classes(path: Path, lesson: Lesson) -> Array:
    """Return the classes that onnxruntime assigns to the held-out samples with the exported model."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path))
    samples = (lesson.tests[0].astype(np.float32) - np.float32(lesson.data.zero)) * np.float32(lesson.data.scale)
    (scores,) = session.run([lesson.output], {session.get_inputs()[0].name: samples})
    classes: Array = scores.argmax(axis=1)
    return classes


# ---- On the device


def open_or_twin(on: str) -> Target:
    """Return the target with this name; if no emulator can run, print why and return the twin."""
    try:
        return open_target(on)
    except DeviceError as error:
        if not on.startswith("qemu"):
            raise
        console.print(f"[yellow]no emulated board:[/] {error}\n[yellow]training the twin on this computer instead[/]")
        return TwinTarget()


def train(target: Target, lesson: Lesson, test_each_epoch: bool) -> Trained:
    """Send the image, test, train with a falling learning rate, test, and save the checkpoint."""
    compiled, data = lesson.compiled.compiled, lesson.data
    load_with_progress(target, lesson.compiled.image)
    before = test(target, lesson)
    steps = lesson.epochs * (len(data.x) // compiled.batch)
    target.set_linear_schedule(compiled.learning_rate, warmup_steps=0, total_steps=steps)
    losses: list[float] = []
    result = fit_with_progress(
        target,
        data if test_each_epoch else data.without_test(),
        lesson.epochs,
        on_step=lambda step: losses.append(step.metrics.loss),
    )
    state, profile = hashlib.sha256(target.state()).hexdigest(), target.info().profile
    return Trained(before, test(target, lesson), result, losses, target.save(), state, target.name, profile)


def test(target: Target, lesson: Lesson) -> Answers:
    """Return the target's answers to the held-out samples."""
    samples, right = lesson.tests
    return Answers(predict_with_progress(target, lesson.data, samples).argmax(axis=1), right)


def compare_with_twin(trained: Trained, lesson: Lesson) -> Trained:
    """Return the same training on this computer. Raises DeviceError unless its state is equal."""
    with TwinTarget(trained.profile) as target:
        twin = train(target, lesson, test_each_epoch=True)
    if twin.state != trained.state:
        raise DeviceError(
            f"the state of {trained.target} is {trained.state[:16]}..., the twin's is {twin.state[:16]}...",
            "flash the firmware of this version: scons firmware",
        )
    say(f"{trained.target} and the twin have the same state after {lesson.epochs} epochs, sha256 {twin.state[:16]}...")
    return twin


def count_instructions(lesson: Lesson) -> int:
    """Return the machine instructions of one step, from an emulated clock that ticks with them."""
    batch, data = lesson.compiled.compiled.batch, lesson.data
    assert data.y is not None
    with Emulator(icount=True) as emulator, BoardTarget(emulator.connect()) as target:
        target.load_image(lesson.compiled.image)
        write_batch(target, data, data.x[:batch], data.y[:batch])
        return round(train_once(target).seconds / SECONDS_PER_INSTRUCTION)
