"""Divides the rows of one data set among devices, in three ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..data.dataset import Dataset
from ..errors import DataError

#: The rows of one device in the data.
Rows = np.ndarray


def part_of(data: Dataset, rows: Rows) -> Dataset:
    """Return some rows of the training samples."""
    more = {name: array[rows] for name, array in data.more.items() if len(array) == len(data.x)}
    y = None if data.y is None else data.y[rows]
    return replace(data.without_test(), x=data.x[rows], y=y, more=more, origins={})


def divided(
    data: Dataset, devices: int, by: str | None = None, each: int | None = None, seed: int = 0
) -> dict[str, Rows]:
    """Return a device for each value of data.more[by] or, without `by`, `devices` devices from drawn_alike().

    Raises DataError if the data has no such array.
    """
    if by is None:
        return drawn_alike(len(data.x), devices, each, seed)
    if len(data.more.get(by, ())) != len(data.x):
        known = ", ".join(name for name, array in data.more.items() if len(array) == len(data.x))
        raise DataError(f"the data has no '{by}' with a number for each sample", f"it has {known or 'none'}")
    return by_column(data.more[by])


def by_column(values: np.ndarray) -> dict[str, Rows]:
    """Return a device for each value of a column, such as a person's number, with its rows.

    Raises DataError if a row has several values, or if all rows have the same one.
    """
    if values.ndim != 1:
        raise DataError(f"a row has {values[0].size} values", "give one number for each sample")
    found, index = np.unique(values, return_inverse=True)
    if len(found) < 2:
        raise DataError(f"all samples have the value {found[0]}", "name a column that differs between devices")
    order = np.argsort(index, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(index))[:-1])
    return {f"{value:g}": rows for value, rows in zip(found, parts)}


def drawn_alike(count: int, devices: int, each: int | None, seed: int) -> dict[str, Rows]:
    """Return devices that each have samples of all kinds (independent and identically distributed).

    each: how many samples a device draws, each device from all `count` of them; None divides the samples,
    so that no two devices share one.
    """
    drawn = np.random.default_rng([seed, 0])
    if each is None:
        return _named(np.array_split(drawn.permutation(count), devices))
    return _named([drawn.choice(count, each, replace=each > count) for _ in range(devices)])


def drawn_unlike(labels: np.ndarray, devices: int, each: int | None, alpha: float, seed: int) -> dict[str, Rows]:
    """Return devices that each have their own mixture of classes.

    The shares of classes on a device are drawn from a Dirichlet distribution around those of the
    whole data (Hsu et al., 2019, *Measuring the Effects of Non-Identical Data Distribution*). If
    all C classes are equally frequent, its C parameters are alpha: with 0.1, a device has mostly one or
    two classes, and with 100 all devices are alike. labels: the class of each sample. each: as in
    drawn_alike().
    """
    drawn = np.random.default_rng([seed, 1])
    _, classes = np.unique(labels, return_inverse=True)
    pools = [drawn.permutation(np.flatnonzero(classes == c)) for c in range(classes.max() + 1)]
    prior = alpha * len(pools) * np.bincount(classes) / len(classes)
    if each is not None:
        return _named([_from_pools(drawn, pools, drawn.dirichlet(prior), each) for _ in range(devices)])
    sizes = [len(part) for part in np.array_split(np.arange(len(labels)), devices)]
    used = np.zeros(len(pools), int)
    return _named([_taken(drawn, pools, used, drawn.dirichlet(prior), size) for size in sizes])


def _from_pools(drawn: np.random.Generator, pools: list[Rows], shares: np.ndarray, size: int) -> Rows:
    """Return `size` samples in these shares; other devices may draw the same ones."""
    counts = drawn.multinomial(size, shares)
    return np.concatenate([drawn.choice(pool, n, replace=n > len(pool)) for pool, n in zip(pools, counts)])


def _taken(drawn: np.random.Generator, pools: list[Rows], used: np.ndarray, shares: np.ndarray, size: int) -> Rows:
    """Return `size` samples in these shares, and count them in `used`, so that nobody draws them again.

    Once a class is used up, the other classes supply the rest, in their shares.
    """
    taken: list[Rows] = []
    while size:
        left = np.array([len(pool) for pool in pools]) - used
        weights = np.where(left > 0, np.maximum(shares, 1e-12), 0)
        counts = np.minimum(drawn.multinomial(size, weights / weights.sum()), left)
        taken += [pool[start : start + n] for pool, start, n in zip(pools, used, counts)]
        used += counts
        size -= int(counts.sum())
    return np.concatenate(taken)


def _named(parts: list[Rows]) -> dict[str, Rows]:
    """Return the parts under the numbers of their devices, from 1 on."""
    return {str(number): rows for number, rows in enumerate(parts, start=1)}
