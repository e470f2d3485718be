"""The four things that are learned. A seed draws which samples are there, and the weights of a new head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import onnx
from bench.quantized.accuracy import faces
from bench.quantized.accuracy.networks import Source, pretrained, with_new_head

from data import fashion_mnist
from demo import watch_data

#: The share of the training samples that is held out to choose a learning rate.
VALIDATION_SHARE = 0.25
OF_SOURCE, OF_NEW = 256, 64


@dataclass(frozen=True)
class Lesson:
    """model: a float network as it comes to the device. calibration: samples that quantize it."""

    model: onnx.ModelProto
    calibration: np.ndarray
    x: np.ndarray
    y: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray

    def validation(self) -> Lesson:
        """Return the same without the test samples: the last quarter of the others takes their place."""
        cut = len(self.x) - int(VALIDATION_SHARE * len(self.x))
        return Lesson(self.model, self.calibration, self.x[:cut], self.y[:cut], self.x[cut:], self.y[cut:])


@dataclass(frozen=True)
class Task:
    """batch, steps: of the training on the device."""

    title: str
    batch: int
    steps: int
    lesson: Callable[[int], Lesson]


def halved(pictures: np.ndarray) -> np.ndarray:
    """Return pictures (N, 28, 28) as (N, 1, 14, 14): the means of four pixels."""
    means = pictures.reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4))
    return means[:, None].astype(np.float32)


@cache
def clothes() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return 40,000 pictures with labels to learn from, and 4,000 to test on."""
    all_of_it = fashion_mnist.load(40_000, 4_000)
    assert all_of_it.x_test is not None and all_of_it.y_test is not None
    x, x_test = (halved(pictures[:, 0] / np.float32(255)) for pictures in (all_of_it.x, all_of_it.x_test))
    return x, all_of_it.y.astype(np.int32), x_test, all_of_it.y_test.astype(np.int32)


def clothes_source() -> Source:
    x, y, _, _ = clothes()
    return Source("clothes", x[:12_000], y[:12_000], 10)


def seen_otherwise(pictures: np.ndarray) -> np.ndarray:
    """Return pictures as another camera sees them: turned, with light and dark swapped."""
    turned = (1 - np.rot90(pictures, axes=(2, 3))) * np.float32(0.8)
    return np.ascontiguousarray(turned.astype(np.float32))


def shift(seed: int) -> Lesson:
    """A thousand pictures of another camera, the same classes."""
    x, y, x_test, y_test = clothes()
    source, random = clothes_source(), np.random.default_rng(seed)
    chosen = 20_000 + random.permutation(20_000)[:1_000]
    given = seen_otherwise(x[chosen])
    calibration = np.concatenate([source.x[:OF_SOURCE], given[:OF_NEW]])
    return Lesson(pretrained(source), calibration, given, y[chosen], seen_otherwise(x_test[:2_000]), y_test[:2_000])


def new_classes(seed: int) -> Lesson:
    """Five hundred pictures of five classes that the network never saw."""
    x, y, x_test, y_test = clothes()
    known = np.flatnonzero(y < 5)[:10_000]
    source, random = Source("five-classes", x[known], y[known], 5), np.random.default_rng(seed)
    chosen = random.permutation(np.flatnonzero(y >= 5))[:500]
    calibration = np.concatenate([source.x[:OF_SOURCE], x[chosen[:OF_NEW]]])
    model, later = with_new_head(pretrained(source), 5, seed), np.flatnonzero(y_test >= 5)[:2_000]
    return Lesson(model, calibration, x[chosen], y[chosen] - 5, x_test[later], y_test[later] - 5)


def new_person(seed: int) -> Lesson:
    """The motion of a person whom the network never saw, by a watch; each seed is another person."""
    left_out = watch_data.leave_out(watch_data.SUBJECTS[seed % len(watch_data.SUBJECTS)])
    others, own = left_out.others, left_out.own
    assert own.x_test is not None and own.y_test is not None

    def motion(windows: np.ndarray) -> np.ndarray:
        real = (windows.astype(np.float32) - watch_data.ZERO) * np.float32(watch_data.SCALE)
        return np.ascontiguousarray(real[:, :, None, :])

    source = Source(f"watch-{left_out.subject}", motion(others.x), others.y, 7, (1, 5), 3)
    random = np.random.default_rng(seed)
    order, of_source = random.permutation(len(own.x)), random.permutation(len(source.x))[:OF_SOURCE]
    given = motion(own.x)[order]
    calibration = np.concatenate([source.x[of_source], given[:OF_NEW]])
    return Lesson(pretrained(source), calibration, given, own.y[order], motion(own.x_test), own.y_test)


def faces_or_not(seed: int) -> Lesson:
    """Eighty pictures, of faces and of other things, for a network that knows clothes."""
    pictures, labels = faces.load()
    small = halved(np.pad(pictures, ((0, 0), (1, 2), (1, 2))))
    source, order = clothes_source(), np.random.default_rng(seed).permutation(len(small))
    chosen, rest = order[:80], order[80:]
    calibration = np.concatenate([source.x[:OF_SOURCE], small[chosen[:OF_NEW]]])
    model = with_new_head(pretrained(source), 2, seed)
    return Lesson(model, calibration, small[chosen], labels[chosen], small[rest], labels[rest])


TASKS = {
    "shift": Task("another camera", 8, 400, shift),
    "new": Task("new classes", 8, 250, new_classes),
    "watch": Task("a new person", 4, 200, new_person),
    "faces": Task("faces", 4, 150, faces_or_not),
}
