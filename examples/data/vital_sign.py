"""A recorded vital sign, one pulse after the other, with twelve samples marked as anomalous.

Series 135, "InternalBleeding16", of the UCR Anomaly Archive: R. Wu and E. Keogh, 2021,
https://wu.renjie.im/research/anomaly-benchmarks-are-flawed/. The archive is public and states no licence. The files
are inside aeon, which is not imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from .missing import MissingData

FOLDER = "datasets/data/KDD-TSAD_135"


@dataclass(frozen=True)
class Series:
    """normal: samples without an anomaly, to learn from. later: the samples after them. anomalous: their marks."""

    normal: np.ndarray
    later: np.ndarray
    anomalous: np.ndarray


def load() -> Series:
    """Return 1,200 normal and 6,301 later samples, float32, scaled so that normal ones have mean 0, deviation 1."""
    spec = find_spec("aeon")
    if spec is None or not spec.submodule_search_locations:
        raise MissingData("the vital sign", "pip install --no-deps aeon==1.6.0")
    folder = Path(spec.submodule_search_locations[0], FOLDER)
    normal, whole = (read(folder / f"135_UCR_Anomaly_InternalBleeding16_{part}.csv") for part in ("TRAIN", "TEST"))
    mean, deviation = normal[:, 1].mean(), normal[:, 1].std()
    later = whole[len(normal) :]  # the whole series starts with the normal part
    learned, seen = (((part[:, 1] - mean) / deviation).astype(np.float32) for part in (normal, later))
    return Series(learned, seen, later[:, 2] > 0)


def read(path: Path) -> np.ndarray:
    """Return the columns: number of the sample, value, and 1 if it is anomalous."""
    return np.genfromtxt(path, delimiter=",", skip_header=1)


def windows(samples: np.ndarray, length: int, step: int) -> np.ndarray:
    """Return pieces of the series, (n, length), that begin every `step` samples."""
    return np.lib.stride_tricks.sliding_window_view(samples, length)[::step].copy()
