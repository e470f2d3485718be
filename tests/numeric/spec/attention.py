"""ATTENTION and its gradient: all scores at once, since blocks change no bit."""

from __future__ import annotations

import numpy as np

from .machine import Call, kernel
from .matrix_products import product
from .numerics import EMPTY_SUM, Array
from .softmax_losses import ZERO, exponentials


def _times(c: Call, a: Array, b: Array) -> Array:
    """Return a b for each sample and head, from the empty sum."""
    start = np.broadcast_to(EMPTY_SUM, (*a.shape[:-1], b.shape[-1]))
    return product(c, start, a, b)


def _transposed(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


def _scaled(c: Call, x: Array) -> Array:
    """Return x times scale, or divided by it."""
    if not c.has("scale"):
        return x
    return x / c.get("scale") if c["divides"] else x * c.get("scale")


def _filled(c: Call, x: Array, which: int) -> Array:
    """Return x with a number of `fill` in each place whose mask is not 0."""
    if not c.has("attn_mask") or not c.has("fill"):
        return x
    return np.where(c.get("attn_mask") != 0, c.get("fill")[which], x)


def _probabilities(c: Call) -> Array:
    scores = _scaled(c, _times(c, c.get("q"), _transposed(c.get("k"))))
    if c.has("attn_mask") and not c.has("fill"):
        scores = scores + c.get("attn_mask")
    rows = _filled(c, scores, 0).reshape(-1, c["keys"], 1)
    _, e, total = exponentials(c.a, rows)
    return (e / total).reshape(scores.shape)


@kernel("ATTENTION")
def attention(c: Call) -> None:
    c.put("y", _times(c, _probabilities(c), c.get("v")))


@kernel("ATTENTION_GRAD")
def attention_grad(c: Call) -> None:
    p, dy, q, k = _probabilities(c), c.get("dy"), c.get("q"), c.get("k")
    dp = _times(c, dy, _transposed(c.get("v")))
    dot = c.a.dot(ZERO, dp, p)[..., None]
    ds = _scaled(c, _filled(c, p * (dp - dot), 1))
    found = {"dq": _times(c, ds, k), "dv": _times(c, _transposed(p), dy)}
    found |= {"dk": _times(c, _transposed(ds), q), "dk_columns": _times(c, _transposed(q), ds)}
    for name, values in found.items():
        if c.has(name):
            c.put(name, values)
