"""Convolutions and pools: kernel rows first, then columns; taps outside the input are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .machine import Call, kernel, relu
from .numerics import EMPTY_SUM, Array
from .update_rules import update

ZERO = np.float32(0)
NO_TAP = 255


@dataclass(frozen=True)
class Tap:
    """Kernel tap (k, l): the outputs whose tap is inside the input, and its positions there."""

    number: int
    k: int
    l: int  # noqa: E741
    outputs: tuple[slice, slice]
    inputs: tuple[slice, slice]


def _span(k: int, stride: int, dilation: int, pad: int, size: int, outputs: int) -> tuple[slice, slice]:
    """Return the outputs o with 0 <= o stride + k dilation - pad < size, and these input indices."""
    start = k * dilation - pad
    first = max(0, -(start // stride)) if start < 0 else 0
    end = min(outputs, (size - 1 - start) // stride + 1) if start < size else 0
    end = max(first, end)
    at = first * stride + start
    return slice(first, end), slice(at, at + (end - first - 1) * stride + 1 if end > first else at, stride)


def taps(c: Call) -> Iterator[Tap]:
    """Yield the kernel's taps that are inside the input for any output, in order."""
    for k in range(c["kernel_h"]):
        rows = _span(k, c["stride_h"], c["dilation_h"], c["pad_h"], c["in_h"], c["out_h"])
        for column in range(c["kernel_w"]):
            columns = _span(column, c["stride_w"], c["dilation_w"], c["pad_w"], c["in_w"], c["out_w"])
            if rows[0].start < rows[0].stop and columns[0].start < columns[0].stop:
                number = k * c["kernel_w"] + column
                yield Tap(number, k, column, (rows[0], columns[0]), (rows[1], columns[1]))


# ---- Convolutions ---------------------------------------------------------------------------------------------------


@kernel("CONV")
def conv(c: Call) -> None:
    """x (batch, in_h, in_w, groups, in_channels), w (groups, out_channels, in_channels, kernel_h, kernel_w)."""
    x, w, y = c.get("x"), c.get("w"), c.view("y")
    bias = c.get("bias").reshape(y.shape[3:]) if c.has("bias") else EMPTY_SUM
    total = np.broadcast_to(bias, y.shape).copy()
    for tap in taps(c):
        seen = x[:, tap.inputs[0], tap.inputs[1]]
        at = (slice(None), *tap.outputs)
        for channel in range(c["in_channels"]):
            total[at] = c.a.mac(total[at], seen[..., channel, None], w[:, :, channel, tap.k, tap.l])
    c.put("y", relu(total) if c["activation"] else total)


@kernel("CONV_TRANSPOSE")
def conv_transpose(c: Call) -> None:
    y, w, x = c.get("y"), c.get("w"), c.view("x")
    bias = c.get("bias").reshape(x.shape[3:]) if c.has("bias") else EMPTY_SUM
    total = x.copy() if c["accumulate"] else np.broadcast_to(bias, x.shape).copy()
    for tap in taps(c):
        at = (slice(None), *tap.inputs)
        seen = y[:, tap.outputs[0], tap.outputs[1]]
        for m in range(c["out_channels"]):
            total[at] = c.a.mac(total[at], seen[..., m, None], w[:, m, :, tap.k, tap.l])
    c.put("x", total + ZERO)


def weight_gradient(c: Call, start: Array) -> Array:
    """Return the gradient of the weights (groups, out_channels, in_channels, kernel_h, kernel_w) from a start on."""
    x, dy, total = c.get("x"), c.get("dy"), start.copy()
    for tap in taps(c):
        seen = x[:, tap.inputs[0], tap.inputs[1]].reshape(-1, c["groups"], 1, c["in_channels"])
        slope = dy[:, tap.outputs[0], tap.outputs[1]].reshape(-1, c["groups"], c["out_channels"], 1)
        part = total[:, :, :, tap.k, tap.l]
        for left, right in zip(slope, seen, strict=True):
            part = c.a.mac(part, left, right)
        total[:, :, :, tap.k, tap.l] = part
    return total


@kernel("CONV_GRAD_W")
def conv_grad_w(c: Call) -> None:
    y = c.view("y")
    c.put("y", weight_gradient(c, y if c["accumulate"] else np.full(y.shape, EMPTY_SUM)))


@kernel("CONV_UPDATE")
def conv_update(c: Call) -> None:
    update(c, weight_gradient(c, np.full(c.view("p").shape, EMPTY_SUM)), np.float32(1))


# ---- Pools ----------------------------------------------------------------------------------------------------------


def _largest(c: Call, x: Array) -> tuple[Array, Array]:
    """Return the largest of each window (batch, out_h, out_w, channels), and the number of its tap."""
    shape = (c["batch"], c["out_h"], c["out_w"], c["channels"])
    best, index, empty = np.full(shape, np.float32(-np.inf)), np.full(shape, NO_TAP), np.full(shape, True)
    for tap in taps(c):
        at = (slice(None), *tap.outputs)
        seen = x[:, tap.inputs[0], tap.inputs[1]]
        wins = empty[at] | (seen > best[at]) | (np.isnan(seen) & ~np.isnan(best[at]))
        best[at] = np.where(wins, seen, best[at])
        index[at] = np.where(wins, tap.number, index[at])
        empty[at] = False
    return best, index


@kernel("MAX_POOL")
def max_pool(c: Call) -> None:
    best, index = _largest(c, c.get("x"))
    c.put("y", best)
    if c.has("index"):
        kept = np.where(best > 0, index, NO_TAP) if c["relu"] else index
        c.flat("index")[:] = kept.astype(np.uint8).ravel()


def _spread(c: Call, index: Array, dy: Array) -> None:
    total = np.zeros(c.view("dx").shape, np.float32)
    for tap in taps(c):
        at = (slice(None), *tap.inputs)
        won = index[:, tap.outputs[0], tap.outputs[1]] == tap.number & 0xFF
        total[at] = np.where(won, total[at] + dy[:, tap.outputs[0], tap.outputs[1]], total[at])
    c.put("dx", total)


@kernel("MAX_POOL_GRAD")
def max_pool_grad(c: Call) -> None:
    _spread(c, _largest(c, c.get("x"))[1], c.get("dy"))


@kernel("MAX_POOL_INDEX_GRAD")
def max_pool_index_grad(c: Call) -> None:
    _spread(c, c.flat("index").reshape(c["batch"], c["out_h"], c["out_w"], c["channels"]), c.get("dy"))


def counts(c: Call) -> Array:
    """Return what the sum of each window (out_h, out_w) is divided by."""
    along = []
    for axis in "hw":
        size, pad = (c[f"padded_{axis}"], 0) if c["count_pad"] else (c[f"in_{axis}"], c[f"pad_{axis}"])
        at = np.arange(c[f"out_{axis}"])[:, None] * c[f"stride_{axis}"] - pad
        at = at + np.arange(c[f"kernel_{axis}"]) * c[f"dilation_{axis}"]
        along.append(((at >= 0) & (at < size)).sum(1))
    return np.outer(*along).astype(np.float32)[:, :, None]


@kernel("AVERAGE_POOL")
def average_pool(c: Call) -> None:
    x = c.get("x")
    total = np.zeros(c.view("y").shape, np.float32)
    for tap in taps(c):
        total[:, tap.outputs[0], tap.outputs[1]] += x[:, tap.inputs[0], tap.inputs[1]]
    c.put("y", total / counts(c))


@kernel("AVERAGE_POOL_GRAD")
def average_pool_grad(c: Call) -> None:
    share = c.get("dy") / counts(c)
    total = np.zeros(c.view("dx").shape, np.float32)
    for tap in taps(c):
        total[:, tap.inputs[0], tap.inputs[1]] += share[:, tap.outputs[0], tap.outputs[1]]
    c.put("dx", total)
