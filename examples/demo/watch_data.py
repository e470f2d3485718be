"""The motion of ten people at seven shoulder exercises, from a smart-watch.

One person is left out of the data for pre-training. D. Burns et al., 2018, "Shoulder physiotherapy
exercise recognition: machine learning the inertial signals from a smartwatch",
https://arxiv.org/abs/1802.01489; 140 recordings at 50 Hz, 14 of each person. The package seglearn
(BSD licence) has them in a file for its `load_watch()`. This module reads that file directly, because
importing seglearn needs pandas, which seglearn does not require.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from gradmote.device.dataset import Array, Dataset
from gradmote.errors import DataError

SUBJECTS = range(1, 11)
WINDOW, STRIDE = 100, 50  #: in samples: 2 s and 1 s
OWN_SHARE = 0.4  #: the device learns from this share of each recording of the left-out person

#: The exercise of each label.
EXERCISES = (
    "pendulum",
    "abduction",
    "forward elevation",
    "internal rotation",
    "external rotation",
    "trapezius extension",
    "upright row",
)

#: A byte q represents (q - ZERO) * SCALE standard deviations from the mean of its channel.
SCALE, ZERO = 1 / 32, 128


@dataclass(frozen=True)
class LeftOut:
    """The data of one person, and of all the others.

    x is (windows, 6, 100) bytes, acceleration and rotation in x, y, z; y is 0 .. 6. `others` has the
    windows of nine people, and `each` has them person by person. `own` has the first 40 % of each
    recording of the tenth; its test set is the rest. All are scaled by the means and standard deviations
    of the others.
    """

    subject: int
    others: Dataset
    own: Dataset
    each: tuple[Dataset, ...]


def leave_out(subject: int) -> LeftOut:
    """Return the data with person `subject`, 1 .. 10, left out.

    Raises DataError for any other number, and if seglearn is not installed.
    """
    if subject not in SUBJECTS:
        raise DataError(f"there is no subject {subject}", f"choose one of {SUBJECTS[0]} .. {SUBJECTS[-1]}")
    data = _recordings()
    cut = [windows(series) for series in data["X"]]
    of = {person: [i for i, s in enumerate(data["subject"]) if s == person] for person in SUBJECTS}
    own, people = of.pop(subject), list(of.values())
    others = sorted(i for recordings in people for i in recordings)
    x, y = _joined([cut[i] for i in others], data["y"][others])
    mean, deviation = x.mean(axis=(0, 2), keepdims=True), x.std(axis=(0, 2), keepdims=True)

    def quantized(values: Array) -> Array:
        return np.clip(np.rint((values - mean) / deviation / SCALE) + ZERO, 0, 255).astype(np.uint8)

    def of_one(recordings: list[int]) -> Dataset:
        own_x, own_y = _joined([cut[i] for i in recordings], data["y"][recordings])
        return Dataset(quantized(own_x), own_y, scale=SCALE, zero=ZERO)

    halves = [split_in_time(cut[i]) for i in own]
    first, first_y = _joined([early for early, _ in halves], data["y"][own])
    later, later_y = _joined([late for _, late in halves], data["y"][own])
    return LeftOut(
        subject,
        Dataset(quantized(x), y, scale=SCALE, zero=ZERO),
        Dataset(quantized(first), first_y, quantized(later), later_y, SCALE, ZERO),
        tuple(of_one(recordings) for recordings in people),
    )


def windows(series: Array) -> Array:
    """Return the windows of a series (samples, channels), as (windows, channels, 100).

    A window begins every 50 samples.
    """
    starts = range(0, len(series) - WINDOW + 1, STRIDE)
    return np.stack([series[start : start + WINDOW].T for start in starts])


def split_in_time(cut: Array) -> tuple[Array, Array]:
    """Return the first 40 % of a recording's windows, and those after their last sample."""
    early = int(OWN_SHARE * len(cut))
    overlapping = WINDOW // STRIDE - 1
    return cut[:early], cut[early + overlapping :]


def _joined(groups: list[Array], labels: Array) -> tuple[Array, Array]:
    """Return the windows of several recordings, with the label of its recording for each."""
    return np.concatenate(groups), np.repeat(labels, [len(group) for group in groups])


@lru_cache(maxsize=1)
def _recordings() -> dict[str, Any]:
    """Return X, 140 arrays (samples, 6), with the exercise y and the person `subject` of each."""
    package = find_spec("seglearn")  # finds the package without importing it
    if package is None or not package.submodule_search_locations:
        raise DataError("the smart-watch data is not installed", "install it: pip install seglearn==1.2.5")
    path = Path(package.submodule_search_locations[0]) / "data" / "watch_dataset.npy"
    data: dict[str, Any] = np.load(path, allow_pickle=True).item()
    return data
