"""Sets samples apart, to judge on while the others are trained."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import DataError
from .dataset import Array, Dataset


def split(data: Dataset, share: float, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Return the samples to train on, and those set apart; neither has a test set.

    The share is that of each class, rounded, if the labels are one class a sample; of a class with more
    than one sample at least one is on each side. The choice follows from the seed. Raises DataError
    for a share that leaves one side empty.
    """
    if not 0 < share < 1:
        raise DataError(f"{share:g} is not a share to set apart", "give one between 0 and 1, such as 0.1")
    apart = np.zeros(len(data.x), bool)
    random = np.random.default_rng((seed, len(data.x)))
    for members in _classes(data):
        count = round(len(members) * share)
        count = min(max(count, 1), len(members) - 1) if len(members) > 1 else 0
        apart[random.permutation(members)[:count]] = True
    if not apart.any():
        raise DataError(f"{share:g} of {len(data.x)} samples sets none apart", "give more samples")
    return _rows(data, ~apart), _rows(data, apart)


def _classes(data: Dataset) -> list[Array]:
    """Return the samples of each class, or all together if they have none."""
    y = data.y
    if y is None or y.dtype.kind not in "iu" or y[0].size != 1:
        return [np.arange(len(data.x))]
    flat = y.reshape(-1)
    return [np.flatnonzero(flat == label) for label in np.unique(flat)]


def _rows(data: Dataset, kept: Array) -> Dataset:
    more = {name: array[kept] for name, array in data.more.items()}
    y = None if data.y is None else data.y[kept]
    return replace(data, x=data.x[kept], y=y, more=more, x_test=None, y_test=None, more_test={})
