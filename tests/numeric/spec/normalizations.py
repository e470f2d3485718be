"""Normalization over axes of a tensor, and over a batch's channels."""

from __future__ import annotations

import numpy as np

from .machine import Call, kernel
from .numerics import Array
from .reductions import joined

ZERO, ONE = np.float32(0), np.float32(1)


def _wide(x: Array) -> Array:
    """Return numbers of each group with an axis for the group's elements."""
    return x[..., None]


@kernel("STANDARDIZE")
def standardize(c: Call) -> None:
    x = joined(c.get("x"))
    n, zero = np.float32(x.shape[-1]), np.zeros(x.shape[:-1], np.float32)
    shift = x[..., 0] if c["centre"] else zero
    mean = c.a.sum(x - _wide(shift)) / n if c["centre"] else zero
    d = x - _wide(shift) - _wide(mean)
    var = c.a.dot(ZERO, d, d) / n
    inv_std = ONE / c.a.sqrt(var + c.f32("epsilon"))
    c.put("y", (d * _wide(inv_std)).reshape(c.view("y").shape))
    for name, values in (("inv_std", inv_std), ("mean", shift + mean), ("var", var)):
        if c.has(name):
            c.put(name, values)


@kernel("STANDARDIZE_GRAD")
def standardize_grad(c: Call) -> None:
    dy, y = joined(c.get("dy")), joined(c.get("y"))
    n = np.float32(y.shape[-1])
    mean = c.a.sum(dy) / n if c["centre"] else np.zeros(dy.shape[:-1], np.float32)
    slope = c.a.dot(ZERO, dy, y) / n
    dx = _wide(c.get("inv_std")) * c.a.mac(dy - _wide(mean), -_wide(slope), y)
    c.put("dx", dx.reshape(c.view("dx").shape))


# ---- Batch normalization: x (outer, channels, inner) ----------------------------------------------------------------


def _by_channel(x: Array) -> Array:
    """Return x (outer, channels, inner) as (channels, outer inner)."""
    return np.moveaxis(x, 1, 0).reshape(x.shape[1], -1)


def _column(c: Call, name: str) -> Array:
    """Return one number a channel, to be used with x."""
    return c.get(name)[:, None]


@kernel("MOMENTS")
def moments(c: Call) -> None:
    x = _by_channel(c.get("x"))
    n, shift = np.float32(x.shape[1]), x[:, 0]
    mean = shift + c.a.sum(x - shift[:, None]) / n
    d = x - mean[:, None]
    var = c.a.dot(ZERO, d, d) / n
    c.put("mean", mean)
    c.put("inv_std", ONE / c.a.sqrt(var + c.f32("epsilon")))
    if c.has("var"):
        c.put("var", var)


@kernel("NORMALIZE")
def normalize(c: Call) -> None:
    y = c.get("x") - _column(c, "mean") if c.has("mean") else c.get("x")
    y = y * (_column(c, "scale") * _column(c, "inv_std"))
    y = y + _column(c, "bias") if c.has("bias") else y
    c.put("y", np.where(y <= 0, ZERO, y) if c["activation"] else y)


@kernel("NORMALIZE_SUMS")
def normalize_sums(c: Call) -> None:
    dy, x = _by_channel(c.get("dy")), _by_channel(c.get("x"))
    c.put("dbias", c.a.sum(dy))
    c.put("dscale", c.a.dot(ZERO, dy, x - _column(c, "mean")) * c.get("inv_std"))


@kernel("NORMALIZE_GRAD")
def normalize_grad(c: Call) -> None:
    n = np.float32(c["outer"] * c["inner"])
    part = _column(c, "dbias") / n
    slope = _column(c, "inv_std") * (_column(c, "dscale") / n)
    factor = _column(c, "scale") * _column(c, "inv_std")
    c.put("dx", factor * c.a.mac(c.get("dy") - part, -slope, c.get("x") - _column(c, "mean")))
