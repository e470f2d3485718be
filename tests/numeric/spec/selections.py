"""Operators that select elements by indices."""

from __future__ import annotations

from functools import cmp_to_key

import numpy as np

from .machine import Call, Stopped, kernel
from .numerics import Array


def places(indices: Array, size: int) -> Array:
    """Return the elements that indices mean; below 0 they count from the end."""
    at = np.where(indices < 0, indices.astype(np.int64) + size, indices)
    if ((at < 0) | (at >= size)).any():
        raise Stopped("INDEX_OUT_OF_RANGE")
    return at


@kernel("GATHER")
def gather(c: Call) -> None:
    c.put("y", c.get("x")[:, places(c.get("indices"), c["size"])])


@kernel("SCATTER_ADD")
def scatter_add(c: Call) -> None:
    dy, dx = c.get("dy"), c.view("dx")
    for i, at in enumerate(places(c.get("indices"), c["size"])):
        dx[:, at] = dx[:, at] + dy[:, i]


@kernel("WEIGHTED_GATHER")
def weighted_gather(c: Call) -> None:
    x, w = c.get("x"), c.get("weights")
    at = places(c.get("indices"), c["size"])
    y = w[:, 0, None] * x[:, at[:, 0]]
    for tap in range(1, c["taps"]):
        y = c.a.mac(y, w[:, tap, None], x[:, at[:, tap]])
    c.put("y", y)


@kernel("WEIGHTED_SCATTER_ADD")
def weighted_scatter_add(c: Call) -> None:
    dy, w, dx = c.get("dy"), c.get("weights"), c.view("dx")
    at = places(c.get("indices"), c["size"])
    for i, tap in np.ndindex(*at.shape):
        dx[:, at[i, tap]] = c.a.mac(dx[:, at[i, tap]], w[i, tap], dy[:, i])


@kernel("SCATTER")
def scatter(c: Call) -> None:
    x, y = c.get("x"), c.view("y")
    for i, at in enumerate(places(c.get("indices"), c["size"])):
        old, new = y[:, at].copy(), x[:, i]
        larger, smaller = (old > new) | np.isnan(old), (old < new) | np.isnan(old)
        y[:, at] = (new, old * new, np.where(larger, old, new), np.where(smaller, old, new))[c["combine"]]


@kernel("FLAT_INDEX")
def flat_index(c: Call) -> None:
    at = places(c.get("indices"), c["size"])
    first = c.get("y").astype(np.int64) if c["accumulate"] else np.arange(c["outer"])[:, None, None]
    whole = (first * c["size"] + at) * c["inner"] + np.arange(c["inner"])
    c.put("y", (whole & 0xFFFFFFFF).astype(np.uint32).view(np.int32))


@kernel("TOP_K")
def top_k(c: Call) -> None:
    x = c.get("x")
    values, indices = [], np.empty((c["outer"], c["count"], c["inner"]), np.int32)
    for o, n in np.ndindex(c["outer"], c["inner"]):
        indices[o, :, n] = _order(c, x[o, :, n])[: c["count"]]
    values = np.take_along_axis(x, indices.astype(np.int64) % c["size"], 1)
    c.put("indices", indices)
    if c.has("values"):
        c.put("values", values)


def _order(c: Call, line: Array) -> list[int]:
    """Return the elements of a line from what comes first on."""

    def compare(i: int, j: int) -> int:
        a, b = line[i], line[j]
        if np.isnan(a) != np.isnan(b):
            return -1 if np.isnan(a) else 1
        if a == b or np.isnan(a):
            return j - i if c["last"] else i - j
        return -1 if (a < b if c["smallest"] else a > b) else 1

    return sorted(range(len(line)), key=cmp_to_key(compare))
