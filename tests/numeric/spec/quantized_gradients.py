"""QUANTIZE_GRAD, CONV_GRAD_X_S8 and CONV_GRAD_W_S8: gradients in float32 whose other factor is int8."""

from __future__ import annotations

import numpy as np

from .machine import Call, kernel
from .numerics import Array
from .window_walks import taps

ZERO = np.float32(0)


def centred(c: Call, name: str, zero: str) -> Array:
    """Return an int8 operand less its zero point, clipped to int8, as float32 numbers."""
    nearest = np.clip(int(np.uint32(c[zero]).view(np.int32)), -128, 127)
    return (c.get(name).astype(np.int32) - nearest).astype(np.float32)


@kernel("QUANTIZE_GRAD")
def quantize_grad(c: Call) -> None:
    dy, scale = c.get("dy"), c.optional("scale", [1.0])
    passes = is_between(c, c.get("q")) if c.has("q") else np.ones(dy.shape, bool)
    passes = passes & c.bits("mask") if c.has("mask") else passes
    shape = (1, -1, 1) if c.has("scale") else ()
    c.put("dx", np.where(passes, dy * scale.reshape(shape), ZERO))


@kernel("MASK_S8")
def mask(c: Call) -> None:
    c.flat("mask")[:] = np.packbits(is_between(c, c.get("q")), bitorder="little")


def is_between(c: Call, q: Array) -> Array:
    """Return for which elements low < q < high."""
    low, high = (int(np.uint32(c[name]).view(np.int32)) for name in ("low", "high"))
    return (q.astype(np.int64) > low) & (q < high)


@kernel("CONV_GRAD_X_S8")
def conv_grad_x(c: Call) -> None:
    y, w, x = c.get("y"), centred(c, "w", "w_zero"), c.view("x")
    total = x.copy() if c["accumulate"] else np.zeros(x.shape, np.float32)
    for tap in taps(c):
        at = (slice(None), *tap.inputs)
        seen = y[:, tap.outputs[0], tap.outputs[1]]
        for m in range(c["out_channels"]):
            total[at] = total[at] + seen[..., m, None] * w[:, m, :, tap.k, tap.l]
    c.put("x", total)


def weight_gradient(c: Call) -> Array:
    """Return factor times the sums (groups, out_channels, in_channels, kernel_h, kernel_w), which start from +0."""
    x, dy = centred(c, "x", "x_zero"), c.get("dy")
    shape = [c[name] for name in ("groups", "out_channels", "in_channels", "kernel_h", "kernel_w")]
    total = np.zeros(shape, np.float32)
    for tap in taps(c):
        seen = x[:, tap.inputs[0], tap.inputs[1]].reshape(-1, c["groups"], 1, c["in_channels"])
        slope = dy[:, tap.outputs[0], tap.outputs[1]].reshape(-1, c["groups"], c["out_channels"], 1)
        part = total[:, :, :, tap.k, tap.l]
        for left, right in zip(slope, seen, strict=True):
            part = part + left * right
        total[:, :, :, tap.k, tap.l] = part
    return c.get("factor").reshape(*shape[:2], 1, 1, 1) * total


@kernel("CONV_GRAD_W_S8")
def conv_grad_w(c: Call) -> None:
    y, made = c.view("y"), weight_gradient(c)
    made = made.reshape(y.shape)
    c.put("y", y + made if c["accumulate"] else made)
