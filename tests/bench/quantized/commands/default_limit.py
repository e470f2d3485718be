"""Trains small networks with SGD in float32, and in int8 with limits of an update's steps: the default, one scale for
all weights, and eight. All have the same learning rate; in the tasks of `accuracy` it is the best one for float32. It
writes the accuracies to docs/QUANTIZATION.md, and ends with an error if the default is more than a point below float32.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from bench.quantized import page
from bench.quantized.accuracy import results, turned_digits
from bench.quantized.accuracy.study import SEEDS, SMALL_RATES, SMALL_STEPS, SMALL_TASK
from bench.quantized.accuracy.tasks import TASKS, Lesson
from bench.quantized.accuracy.training import Course, accuracy_after

from gradmote import compile_model, losses, optimizers, quantize_model
from gradmote.compiler import Options

FLOAT, DEFAULT = "float32", "int8, default"
LIMITS = {DEFAULT: None, "one scale": 1.0, "eight scales": 8.0}
#: How many points the default may be below float32.
ALLOWANCE = 1.0


@dataclass(frozen=True)
class Case:
    """decays: the learning rate falls to 0 in a line."""

    title: str
    lesson: Callable[[int], Lesson]
    batch: int
    rate: float
    steps: int
    decays: bool = False

    @property
    def row(self) -> str:
        return f"{self.title}, batch {self.batch}, rate {self.rate:g}"

    def accuracies(self, method: str, seeds: Sequence[int]) -> list[float]:
        return [self.accuracy(method, self.lesson(seed), seed) for seed in seeds]

    def accuracy(self, method: str, lesson: Lesson, seed: int) -> float:
        course = Course(self.rate, self.steps, seed, self.decays)
        return accuracy_after(image(method, lesson, self.batch), lesson, course)


def image(method: str, lesson: Lesson, batch: int) -> bytes:
    """Return the image that trains all layers; in int8 all but the last one."""
    is_int8 = method != FLOAT
    model = quantize_model(lesson.model, lesson.calibration) if is_int8 else lesson.model
    sgd = optimizers.sgd(clip_steps=LIMITS.get(method))
    return compile_model(model, losses.cross_entropy(), sgd, Options(batch=batch), float_head=is_int8).image


def cases() -> Iterator[Case]:
    digits, epochs = turned_digits.SAMPLES, turned_digits.EPOCHS
    dense, convolutions = map(turned_digits.lesson, (turned_digits.dense, turned_digits.convolutions))
    yield Case("digits, dense layers", dense, 16, 0.3, epochs * digits // 16)
    yield Case("digits, dense layers", dense, 1, 0.03, epochs * digits)
    yield Case("digits, convolutions", convolutions, 16, 0.1, epochs * digits // 16)
    yield Case("digits, convolutions", convolutions, 1, 0.01, epochs * digits)
    best = results.read().transfer
    for name, task in TASKS.items():
        yield Case(task.title, task.lesson, task.batch, best[name]["fp32"].rate, task.steps, decays=True)
    for rate in SMALL_RATES:
        yield Case(TASKS[SMALL_TASK].title, TASKS[SMALL_TASK].lesson, 1, rate, SMALL_STEPS)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quantized default_limit", description=__doc__)
    parser.add_argument("--seeds", type=int, help=f"measure with so many, and write nothing (default: {len(SEEDS)})")
    parser.add_argument("--only", default="", metavar="TEXT", help="measure cases with this text, and write nothing")
    given = parser.parse_args(arguments)
    seeds = tuple(range(given.seeds)) if given.seeds else SEEDS
    found = {case.row: measured(case, seeds) for case in cases() if given.only in case.row}
    if not given.seeds and not given.only:
        page.write(
            "default limit", ["task", FLOAT, *LIMITS], [[row, *map(shown, of.values())] for row, of in found.items()]
        )
    raise SystemExit("\n".join(broken(found)) or 0)


def measured(case: Case, seeds: Sequence[int]) -> dict[str, list[float]]:
    """Return the accuracies of each method, in percent."""
    found = {method: case.accuracies(method, seeds) for method in (FLOAT, *LIMITS)}
    print(case.row, *(f"{method}: {shown(of)}" for method, of in found.items()), sep=" | ", flush=True)
    return found


def shown(accuracies: Sequence[float]) -> str:
    """Return the mean, and the accuracy with each seed."""
    return f"{fmean(accuracies):.1f} ({', '.join(f'{a:.1f}' for a in accuracies)})"


def broken(found: dict[str, dict[str, list[float]]]) -> Iterator[str]:
    for row, of in found.items():
        int8, fp32 = fmean(of[DEFAULT]), fmean(of[FLOAT])
        if int8 < fp32 - ALLOWANCE:
            yield f"{row}: int8 has {int8:.1f}, float32 {fp32:.1f}"
