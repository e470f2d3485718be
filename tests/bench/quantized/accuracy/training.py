"""Trains on the twin, and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from bench.quantized.accuracy.tasks import Lesson

from gradmote_runtime import Session

#: One step of training, with some samples and their labels.
Step = Callable[[Session, np.ndarray, np.ndarray], object]


def whole_step(session: Session, x: np.ndarray, y: np.ndarray) -> object:
    return session.step(x, y)


@dataclass(frozen=True)
class Course:
    """decays: the learning rate falls to 0 in a line. seed: orders the samples, and rounds."""

    rate: float
    steps: int
    seed: int
    decays: bool = True


def accuracy_after(image: bytes, lesson: Lesson, course: Course, step: Step = whole_step) -> float:
    """Return the accuracy in percent after a training."""
    with Session(image) as session:
        session.set_seed(course.seed)
        session.learning_rate = course.rate
        if course.decays:
            session.set_linear_schedule(course.rate, 0, course.steps)
        for batch in batches(len(lesson.x), session.requirements()["batch"], course.steps, course.seed):
            step(session, lesson.x[batch], lesson.y[batch])
        return accuracy(session, lesson.x_test, lesson.y_test)


def batches(count: int, batch: int, steps: int, seed: int) -> Iterator[np.ndarray]:
    """Yield the samples of each step: all samples in some order, then all again in another."""
    random, left = np.random.default_rng(seed), np.array([], np.int64)
    for _ in range(steps):
        while len(left) < batch:
            left = np.concatenate([left, random.permutation(count)])
        yield left[:batch]
        left = left[batch:]


def accuracy(session: Session, x: np.ndarray, y: np.ndarray) -> float:
    return 100 * float((scores(session, x).argmax(axis=1) == y).mean())


def scores(session: Session, x: np.ndarray) -> np.ndarray:
    """Return the output for each sample. The last batch is filled up with the first sample."""
    batch = session.requirements()["batch"]
    padded = np.concatenate([x, np.repeat(x[:1], -len(x) % batch, axis=0)])
    found = [np.array(session.infer(padded[i : i + batch])[0]) for i in range(0, len(padded), batch)]
    return np.concatenate(found)[: len(x)]
