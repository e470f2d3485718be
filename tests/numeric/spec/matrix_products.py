"""GEMM, GEMM_UPDATE and MATMUL."""

from __future__ import annotations

import numpy as np

from .machine import Call, kernel, relu
from .numerics import EMPTY_SUM, Array
from .update_rules import update


def product(c: Call, start: Array, a: Array, b: Array) -> Array:
    """Return start + a b, a (..., m, k), b (..., k, n), over ascending k."""
    acc = start
    for k in range(a.shape[-1]):
        acc = c.a.mac(acc, a[..., :, k, None], b[..., k, None, :])
    return acc


@kernel("GEMM")
def gemm(c: Call) -> None:
    y = c.view("y")
    start = y.copy() if c["accumulate"] else np.broadcast_to(c.optional("bias", EMPTY_SUM), y.shape)
    done = product(c, start, c.get("a"), c.get("b"))
    c.put("y", relu(done) if c["activation"] else done)


@kernel("MATMUL")
def matmul(c: Call) -> None:
    c.put("y", product(c, np.broadcast_to(EMPTY_SUM, c.view("y").shape), c.get("a"), c.get("b")))


@kernel("GEMM_UPDATE")
def gemm_update(c: Call) -> None:
    start = np.broadcast_to(EMPTY_SUM, c.view("p").shape)
    update(c, product(c, start, c.get("a"), c.get("b")), np.float32(1))
