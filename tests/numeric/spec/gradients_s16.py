"""Gradients of 16 bits: numbers q 2^exponent, with the exponent and the magnitude beside them."""

from __future__ import annotations

import numpy as np

from .machine import Call, Stopped, kernel
from .numerics import Array, bits, power_of_two
from .quantized_values import byte
from .window_walks import taps

LEAST_EXPONENT, MOST_EXPONENT = -96, 8
ZERO_MAGNITUDE = -1000
ROOM = 2
GAIN_STEPS, GAIN_ONE, GAIN_MOST = 8, 8192, 16384


def _exponent(c: Call, name: str) -> tuple[int, int]:
    """Return the exponent and the magnitude beside a gradient, each within its bounds."""
    exponent, magnitude = (int(word) for word in c.get(name))
    return min(max(exponent, LEAST_EXPONENT), MOST_EXPONENT), min(max(magnitude, ZERO_MAGNITUDE), 128)


def _real(c: Call, name: str) -> Array:
    """Return the real numbers of a gradient, which are exact in binary32."""
    return c.get(name).astype(np.float32) * power_of_two(_exponent(c, f"{name}_exponent")[0])


def _magnitude(values: Array) -> int:
    """Return floor(log2) of the largest absolute value."""
    largest = int((bits(values) & np.uint32(0x7FFFFFFF)).max())
    return (largest >> 23) - 127 if largest else ZERO_MAGNITUDE


def _masked(c: Call, values: Array) -> Array:
    """Return the values for which low < q < high and the bit of mask is 1, and 0 for the others."""
    if c.has("q"):
        q = c.get("q").astype(int)
        values = np.where((q > byte(c, "low")) & (q < byte(c, "high")), values, np.float32(0))
    return np.where(c.bits("mask"), values, np.float32(0)) if c.has("mask") else values


def _write(c: Call, name: str, values: Array, expected: int, room: int = 0) -> int:
    """Write numbers of an expected magnitude; return their actual one."""
    limit = min(max(int(np.uint32(c["limit"]).astype(np.int32)), 1), 32767)
    kept = (limit + 1).bit_length() - 1
    exponent = min(max(expected + 1 + room - kept, LEAST_EXPONENT), MOST_EXPONENT)
    whole = np.rint(values * power_of_two(-exponent))
    c.put(name, np.clip(np.where(np.isnan(whole), limit, whole), -limit, limit).astype(np.int16))
    c.put("exponent", np.array([exponent, _magnitude(values)], np.int32))
    return _magnitude(values)


@kernel("QUANTIZE_GRAD_S16")
def quantize_grad(c: Call) -> None:
    scale = c.get("scale")[None, :, None] if c.has("scale") else np.float32(1)
    values = _masked(c, c.get("dy") * scale)
    if (bits(values) & np.uint32(0x7FFFFFFF) >= 0x7F800000).any():
        raise Stopped("NOT_FINITE")
    _write(c, "y", values, _magnitude(values))


@kernel("ADD_S16")
def add(c: Call) -> None:
    values = _real(c, "a")
    if c.has("b") and c.has("b_exponent"):
        values = values + _real(c, "b")
    scale = c.get("scale") if c.has("scale") else np.float32(1)
    values = _masked(c, values * scale)
    _write(c, "y", values, _magnitude(values))


def _whole_sums(c: Call) -> Array:
    """Return the sums of dy (w - w_zero), exact, modulo 2^32, with the shape of dx."""
    dy, w = c.get("dy").astype(np.int64), c.get("w").astype(np.int64) - byte(c, "w_zero")
    total = np.zeros(c.view("dx").shape, np.int64)
    for tap in taps(c):
        seen = dy[:, tap.outputs[0], tap.outputs[1]]
        total[:, tap.inputs[0], tap.inputs[1]] += np.einsum("bhwgm,gmc->bhwgc", seen, w[:, :, :, tap.k, tap.l])
    return total.astype(np.uint32).view(np.int32).reshape(total.shape)


def _next_gain(source: int, magnitude: int, gain: int) -> int:
    if ZERO_MAGNITUDE in (source, magnitude):
        return gain
    found = min(max((magnitude - source) * GAIN_STEPS + GAIN_ONE, 1), GAIN_MOST)
    return max(found, gain - 1)


@kernel("CONV_GRAD_X_S16")
def conv_grad_x(c: Call) -> None:
    exponent, source = _exponent(c, "dy_exponent")
    values = _whole_sums(c).astype(np.float32) * power_of_two(exponent)
    if c.has("addend") and c.has("addend_exponent"):
        values = values + _real(c, "addend")
        source = max(source, _exponent(c, "addend_exponent")[1])
    if c.has("scale"):
        values = values * c.get("scale").reshape(values.shape[3:])
    values = _masked(c, values)
    gain = min(max(int(c.get("gain")[0]), 0), GAIN_MOST) or _next_gain(source, _magnitude(values), 0)
    expected = source - (-gain // GAIN_STEPS) - GAIN_ONE // GAIN_STEPS
    c.put("gain", np.array([_next_gain(source, _write(c, "dx", values, expected, ROOM), gain)], np.int32))


@kernel("CONV_GRAD_W_S16")
def conv_grad_w(c: Call) -> None:
    x, dy = c.get("x").astype(np.int64) - byte(c, "x_zero"), c.get("dy").astype(np.int64)
    total = np.zeros(c.view("y").shape, np.int64)
    for tap in taps(c):
        seen, slope = x[:, tap.inputs[0], tap.inputs[1]], dy[:, tap.outputs[0], tap.outputs[1]]
        total[:, :, :, tap.k, tap.l] += np.einsum("bhwgc,bhwgm->gmc", seen, slope)
    values = _real_sums(c, total, "dy_exponent") * c.get("factor").reshape(*total.shape[:2], 1, 1, 1)
    c.put("y", c.get("y") + values if c["accumulate"] else values)


@kernel("SUM_S16")
def sums(c: Call) -> None:
    values = _real_sums(c, c.get("x").astype(np.int64).sum((0, 2)), "x_exponent")
    values = values / c.get("divisor") if c.has("divisor") else values
    c.put("y", c.get("y") + values if c["accumulate"] else values)


def _real_sums(c: Call, total: Array, exponent: str) -> Array:
    """Return the real numbers of exact sums."""
    return total.astype(np.float32) * power_of_two(_exponent(c, exponent)[0])


@kernel("MAX_POOL_GRAD_S16")
def max_pool_grad(c: Call) -> None:
    index = c.flat("index").reshape(c["batch"], c["out_h"], c["out_w"], c["channels"])
    total, dy = np.zeros(c.view("dx").shape, np.int64), c.get("dy").astype(np.int64)
    for tap in taps(c):
        won = index[:, tap.outputs[0], tap.outputs[1]] == tap.number & 0xFF
        total[:, tap.inputs[0], tap.inputs[1]] += np.where(won, dy[:, tap.outputs[0], tap.outputs[1]], 0)
    values = _real_sums(c, total, "dy_exponent")
    _write(c, "dx", values, _magnitude(values))


@kernel("COPY_S16")
def copy(c: Call) -> None:
    c.put("y", c.get("x"))


@kernel("DEQUANTIZE_S16")
def dequantize(c: Call) -> None:
    c.put("y", _real(c, "x"))
