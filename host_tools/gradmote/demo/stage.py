"""The way that every demo goes: an image to the board, test, train, test, the same on the twin, a better ONNX out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

from ..artifacts.export import export_inference
from ..compiler.compile import Result
from ..device.board_target import BoardTarget
from ..device.dataset import Array, Dataset
from ..device.emulator import SECONDS_PER_INSTRUCTION, Emulator
from ..device.fit import Fit, train_once
from ..device.progress import fit_with_progress, load_with_progress, predict_with_progress
from ..device.samples import write_batch
from ..device.target import Target
from ..device.target_factory import open_target
from ..device.twin_target import TwinTarget
from ..device.types import Memory
from ..errors import DeviceError
from ..formats.files import Output, make_folder, write_atomically
from ..report.terminal import Console

console = Console()


@dataclass(frozen=True)
class Lesson:
    """What a demo teaches the board. data has a test set; output: of the model, scores of the classes.

    test_each_epoch: also on the board, where a test takes as long as its samples take over the line. The twin always
    does.
    """

    name: str  #: of files
    title: str
    model: onnx.ModelProto
    compiled: Result
    data: Dataset
    epochs: int
    output: str
    test_each_epoch: bool = True

    @property
    def tests(self) -> tuple[Array, Array]:
        """Held-out samples and their classes."""
        assert self.data.x_test is not None and self.data.y_test is not None
        return self.data.x_test, self.data.y_test


@dataclass(frozen=True)
class Answers:
    """Classes given to the held-out samples, and the right ones."""

    given: Array
    right: Array

    @property
    def accuracy(self) -> float:
        return float((self.given == self.right).mean())

    def of_class(self, label: int) -> float:
        """Share of the samples of one class that were recognised."""
        return float((self.given[self.right == label] == label).mean())


@dataclass(frozen=True)
class Trained:
    """What one target made of the image."""

    before: Answers
    after: Answers
    fit: Fit
    losses: list[float]  #: of each step
    checkpoint: bytes
    state: str  #: SHA-256
    target: str
    profile: str


@dataclass(frozen=True)
class Outcome:
    """All that a report needs. twin, memory, instructions: None without a board; exported: by onnxruntime."""

    lesson: Lesson
    trained: Trained
    twin: Trained | None
    exported: Answers
    memory: Memory | None
    instructions: int | None

    @property
    def curve(self) -> Trained:
        """The training that was tested after each epoch; bit for bit that of the board."""
        return self.twin or self.trained


def run(lesson: Lesson, on: str, out: Path) -> Outcome:
    """Teaches, and says so step by step. `out` gets the model, the image, the checkpoint and the better model."""
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
    console.print(f"[bold green]*[/] {text}", highlight=False, soft_wrap=True)


# ---- On the desk


def save_model(lesson: Lesson, out: Path) -> Path:
    """Writes the model and its image; returns the model's path."""
    path, image, compiled = out / f"{lesson.name}.onnx", out / f"{lesson.name}.mote", lesson.compiled
    make_folder(out)
    write_atomically(path, lesson.model.SerializeToString())
    write_atomically(image, compiled.image)
    say(f"compiled: {image}, {len(compiled.image):,} B of flash, {compiled.layout.arena_size:,} B of RAM")
    return path


def onnxruntime_classes(path: Path, lesson: Lesson) -> Array:
    """What any ONNX runtime makes of the exported model."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path))
    samples = (lesson.tests[0].astype(np.float32) - np.float32(lesson.data.zero)) * np.float32(lesson.data.scale)
    (scores,) = session.run([lesson.output], {session.get_inputs()[0].name: samples})
    classes: Array = scores.argmax(axis=1)
    return classes


# ---- On the device


def open_or_twin(on: str) -> Target:
    """The target asked for; where no emulator can run, the twin, and says so."""
    try:
        return open_target(on)
    except DeviceError as error:
        if not on.startswith("qemu"):
            raise
        console.print(f"[yellow]no emulated board:[/] {error}\n[yellow]training the twin on this computer instead[/]")
        return TwinTarget()


def train(target: Target, lesson: Lesson, test_each_epoch: bool) -> Trained:
    """Sends the image, tests, trains with a falling learning rate, tests, and pulls the checkpoint back."""
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
    samples, right = lesson.tests
    return Answers(predict_with_progress(target, lesson.data, samples).argmax(axis=1), right)


def compare_with_twin(trained: Trained, lesson: Lesson) -> Trained:
    """The same training on this computer must give the same state, bit for bit."""
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
    """Machine instructions of one step, by an emulated clock that ticks with them."""
    batch, data = lesson.compiled.compiled.batch, lesson.data
    assert data.y is not None
    with Emulator(icount=True) as emulator, BoardTarget(emulator.connect()) as target:
        target.load_image(lesson.compiled.image)
        write_batch(target, data, data.x[:batch], data.y[:batch])
        return round(train_once(target).seconds / SECONDS_PER_INSTRUCTION)
