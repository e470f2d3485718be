"""Measures: a learning rate is chosen on validation samples, then some trainings are tested."""

from __future__ import annotations

import hashlib
import json
from statistics import fmean
from typing import NamedTuple

from bench.quantized.accuracy.methods import METHODS, NEAREST, Method
from bench.quantized.accuracy.results import Row
from bench.quantized.accuracy.tasks import TASKS, Lesson
from bench.quantized.accuracy.training import Course, accuracy_after

from gradmote.formats.files import make_build_folder

SEEDS = (0, 1, 2)
RATES = (0.02, 0.05, 0.1, 0.15)
#: With batches of one sample, steps are so small that rounding decides.
SMALL_TASK, SMALL_STEPS, SMALL_RATES = "new", 2_000, (0.003, 0.01)
SMALL_METHODS = {**{n: method for n, method in METHODS.items() if n != "int16_master"}, "nearest": NEAREST}


class Ready(NamedTuple):
    """A lesson, with the image that a method made for it."""

    lesson: Lesson
    image: bytes


class Study:
    """Runs what was not run before. A run is known by model, samples and method, and kept in build/.

    fresh: forget the runs that are kept, since the compiler or a kernel has changed.
    """

    def __init__(self, seeds: tuple[int, ...] = SEEDS, fresh: bool = False) -> None:
        self.seeds = seeds
        self.kept = make_build_folder("quantized") / "runs.json"
        keeps = self.kept.exists() and not fresh
        self.runs: dict[str, float] = json.loads(self.kept.read_text()) if keeps else {}
        self.lessons = {(name, seed): task.lesson(seed) for name, task in TASKS.items() for seed in seeds}

    def before(self, task: str) -> float:
        """Return the accuracy of the float network before it learns anything new."""
        ready = self.ready(task, METHODS["fp32"], TASKS[task].batch)
        return fmean(self.run(METHODS["fp32"], r, Course(0.0, 0, seed, False)) for seed, r in ready.items())

    def transfer(self, task: str, method: Method) -> Row:
        """Train at the rate with the best mean accuracy on validation samples."""
        ready = self.ready(task, method, TASKS[task].batch)

        def accuracies(rate: float, validation: bool) -> list[float]:
            steps = TASKS[task].steps
            return [
                self.run(method, Ready(r.lesson.validation(), r.image) if validation else r, Course(rate, steps, seed))
                for seed, r in ready.items()
            ]

        rate = max(RATES, key=lambda rate: fmean(accuracies(rate, True)))
        return Row(rate, accuracies(rate, False))

    def one_by_one(self, method: Method, rate: float) -> Row:
        """Train with batches of one sample, at a learning rate that stays."""
        ready = self.ready(SMALL_TASK, method, 1)
        return Row(rate, [self.run(method, r, Course(rate, SMALL_STEPS, seed, False)) for seed, r in ready.items()])

    def ready(self, task: str, method: Method, batch: int) -> dict[int, Ready]:
        lessons = {seed: self.lessons[task, seed] for seed in self.seeds}
        return {seed: Ready(lesson, method.image(lesson, batch)) for seed, lesson in lessons.items()}

    def run(self, method: Method, ready: Ready, course: Course) -> float:
        lesson, image = ready
        key = hashlib.sha256(f"{method} {course} {len(lesson.x)}".encode())
        for data in (lesson.model.SerializeToString(), lesson.calibration, lesson.x, lesson.y, lesson.x_test):
            key.update(memoryview(data).cast("B"))
        name = key.hexdigest()[:24]
        if name not in self.runs:
            self.runs[name] = accuracy_after(image, lesson, course, method.step(lesson, course.rate))
            self.kept.write_text(json.dumps(self.runs))
        return self.runs[name]
