"""Sums, products and extremes over axes."""

from __future__ import annotations

import numpy as np

from .machine import Call, kernel
from .numerics import Array

ZERO, ONE = np.float32(0), np.float32(1)


def joined(view: Array) -> Array:
    """Return the operand with its first four axes, and the last four as one."""
    return view.reshape(*view.shape[:4], -1)


@kernel("REDUCE_SUM")
def reduce_sum(c: Call) -> None:
    total, scale = c.a.sum(joined(c.get("x"))), c.f32("scale")
    c.put("y", c.a.mac(c.get("y"), scale, total) if c["accumulate"] else scale * total)


@kernel("SUM")
def whole_sum(c: Call) -> None:
    c.put("y", c.f32("scale") * c.a.sum(c.get("x")))


@kernel("SUM_GRAD")
def sum_grad(c: Call) -> None:
    c.put("dx", np.broadcast_to(c.f32("scale") * c.get("dy"), c.view("dx").shape))


@kernel("REDUCE_MAX", "REDUCE_MIN")
def extremum(c: Call) -> None:
    x = joined(c.get("x"))
    y = x[..., 0]
    for i in range(1, x.shape[-1]):
        beats = x[..., i] > y if c.i.opcode.name == "REDUCE_MAX" else x[..., i] < y
        y = np.where((beats & ~np.isnan(y)) | np.isnan(x[..., i]), x[..., i], y)
    c.put("y", y)


@kernel("REDUCE_EXTREMUM_GRAD")
def extremum_grad(c: Call) -> None:
    x, dy, y = c.get("x"), c.get("dy"), c.get("y")
    spread = (*y.shape, 1, 1, 1, 1)
    is_it = x == y.reshape(spread)
    count = is_it.reshape(*y.shape, -1).sum(-1).astype(np.float32)
    c.put("dx", np.where(is_it, (dy / count).reshape(spread), ZERO))


@kernel("REDUCE_PROD")
def product(c: Call) -> None:
    x, y = c.get("x"), np.broadcast_to(ONE, c.view("y").shape)
    for i in range(c["classes"]):
        y = y * x[:, i]
    c.put("y", y)


@kernel("REDUCE_PROD_GRAD")
def product_grad(c: Call) -> None:
    x, before = c.get("x"), c.get("dy")
    later = np.ones_like(x)
    for i in range(c["classes"] - 2, -1, -1):
        later[:, i] = later[:, i + 1] * x[:, i + 1]
    dx = np.empty_like(x)
    for i in range(c["classes"]):
        dx[:, i] = before * later[:, i]
        before = before * x[:, i]
    c.put("dx", dx)


@kernel("CUMSUM")
def cumsum(c: Call) -> None:
    x = c.get("x")
    y, total = np.empty_like(x), np.zeros_like(x[:, 0])
    for i in range(c["size"]):
        at = c["size"] - 1 - i if c["reverse"] else i
        after = total + x[:, at]
        y[:, at] = total if c["exclusive"] else after
        total = after
    c.put("y", y)
