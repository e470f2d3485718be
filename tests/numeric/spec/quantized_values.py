"""The instructions on numbers of 8 bits. Sums of integers are exact here, and taken modulo 2^32 at their end."""

from __future__ import annotations

import numpy as np

from .machine import Call, kernel
from .numerics import Array
from .window_walks import NO_TAP, counts, taps

F32 = np.float32


def byte(c: Call, name: str) -> int:
    """Return what is nearest to a parameter among the numbers of 8 bits."""
    return int(np.clip(np.uint32(c[name]).astype(np.int32), -128, 127))


def centred(c: Call, name: str, zero: str) -> Array:
    """Return an operand minus its zero point, as integers that no sum overflows."""
    return c.get(name).astype(np.int64) - byte(c, zero)


def real(c: Call, name: str) -> Array:
    """Return the numbers that an operand stands for."""
    return centred(c, name, f"{name}_zero").astype(F32) * c.f32(f"{name}_scale")


def to_bytes(c: Call, x: Array, zero: str = "y_zero") -> Array:
    """Return round(x) + zero, clamped to low .. high; NaN gives low."""
    z, low, high = byte(c, zero), byte(c, "low"), byte(c, "high")
    clamped = np.where(x > F32(low - z), x, F32(low - z))
    clamped = np.where(clamped < F32(high - z), clamped, F32(high - z))
    return (np.rint(clamped).astype(np.int64) + z).astype(np.int8)


def wrapped(sums: Array) -> Array:
    """Return integers modulo 2^32 as float32."""
    return (sums & 0xFFFFFFFF).astype(np.uint32).astype(np.int32).astype(F32)


def requantized(c: Call, sums: Array, zero: str) -> Array:
    """Return the outputs of sums (..., groups, channels)."""
    shape = sums.shape[-2:]
    total = sums + (c.get("bias").reshape(shape) if c.has("bias") else 0)
    scaled = wrapped(total) * c.get("multipliers").reshape(shape)
    return to_bytes(c, scaled + c.get("offsets").reshape(shape) if c.has("offsets") else scaled, zero)


@kernel("QUANTIZE")
def quantize(c: Call) -> None:
    c.put("y", to_bytes(c, c.get("x") / c.f32("scale"), "zero"))


@kernel("DEQUANTIZE")
def dequantize(c: Call) -> None:
    zero = c.get("zero").astype(np.int64) if c.has("zero") else np.zeros(c["channels"], np.int64)
    whole = c.get("x").astype(np.int64) - zero[None, :, None]
    c.put("y", whole.astype(F32) * c.get("scale")[None, :, None])


@kernel("CONV_S8")
def conv(c: Call) -> None:
    x, w, sums = centred(c, "x", "x_zero"), centred(c, "w", "w_zero"), np.zeros(c.view("y").shape, np.int64)
    for tap in taps(c):
        seen = x[:, tap.inputs[0], tap.inputs[1]]
        product = np.einsum("bopgc,gmc->bopgm", seen, w[..., tap.k, tap.l])
        sums[:, tap.outputs[0], tap.outputs[1]] += product
    c.put("y", requantized(c, sums, "y_zero"))


@kernel("CONV_TRANSPOSE_S8")
def conv_transpose(c: Call) -> None:
    y, w, sums = centred(c, "y", "y_zero"), centred(c, "w", "w_zero"), np.zeros(c.view("x").shape, np.int64)
    for tap in taps(c):
        seen = y[:, tap.outputs[0], tap.outputs[1]]
        sums[:, tap.inputs[0], tap.inputs[1]] += np.einsum("bopgm,gmc->bopgc", seen, w[..., tap.k, tap.l])
    c.put("x", requantized(c, sums, "x_zero"))


@kernel("MATMUL_S8")
def matmul(c: Call) -> None:
    sums = centred(c, "a", "a_zero") @ centred(c, "b", "b_zero")
    c.put("y", to_bytes(c, wrapped(sums) * c.f32("multiplier")))


@kernel("COPY_S8")
def copy(c: Call) -> None:
    x = c.get("x")
    c.put("y", c.flat("table")[x.astype(np.int64) + 128] if c.has("table") else x)


@kernel("ADD_S8")
def add(c: Call) -> None:
    c.put("y", to_bytes(c, (real(c, "a") + real(c, "b")) / c.f32("y_scale")))


@kernel("MUL_S8")
def mul(c: Call) -> None:
    c.put("y", to_bytes(c, (real(c, "a") * real(c, "b")) / c.f32("y_scale")))


@kernel("MAX_POOL_S8")
def max_pool(c: Call) -> None:
    x, shape = c.get("x"), (c["batch"], c["out_h"], c["out_w"], c["channels"])
    best, index = np.full(shape, -128, np.int8), np.full(shape, NO_TAP)
    for tap in taps(c):
        at = (slice(None), *tap.outputs)
        seen = x[:, tap.inputs[0], tap.inputs[1]]
        wins = (index[at] == NO_TAP) | (seen > best[at])
        best[at], index[at] = np.where(wins, seen, best[at]), np.where(wins, tap.number, index[at])
    c.put("y", best)
    if c.has("index"):
        c.flat("index")[:] = index.astype(np.uint8).ravel()


@kernel("AVERAGE_POOL_S8")
def average_pool(c: Call) -> None:
    """The numbers under all taps: (kernel_h, kernel_w, batch, out_h, out_w, channels), 0 in the padding."""
    x, shape = real(c, "x"), c.view("y").shape
    seen = np.zeros((c["kernel_h"], c["kernel_w"], *shape), F32)
    for tap in taps(c):
        seen[tap.k, tap.l][:, tap.outputs[0], tap.outputs[1]] = x[:, tap.inputs[0], tap.inputs[1]]
    flat = seen.reshape(-1, *shape)
    total = (in_order(flat), in_order(sum_columns(seen)), by_lanes(flat), by_pairs(flat))[c["order"]]
    c.put("y", to_bytes(c, total / counts(c) / c.f32("y_scale")))


def in_order(numbers: Array) -> Array:
    """Return the sum over the first axis, one number after the other."""
    total = np.zeros(numbers.shape[1:], F32)
    for number in numbers:
        total = total + number
    return total


def sum_columns(seen: Array) -> Array:
    """Return the sum of each kernel column."""
    return np.stack([in_order(seen[:, column]) for column in range(seen.shape[1])])


def by_lanes(flat: Array) -> Array:
    """Return the sum of four lanes, and of the numbers that are left."""
    full = len(flat) // 4 * 4
    lane = [in_order(flat[start:full:4]) for start in range(4)]
    total = (lane[0] + lane[2]) + (lane[1] + lane[3])
    for number in flat[full:]:
        total = total + number
    return total


def by_pairs(flat: Array) -> Array:
    """Return the sums of all channels (taps, batch, out_h, out_w, channels), whose groups of four begin at different
    numbers."""
    total = np.zeros(flat.shape[1:], F32)
    for b, o, p, channel in np.ndindex(total.shape):
        number = b * total.shape[-1] + channel
        total[b, o, p, channel] = one_by_pairs(flat[:, b, o, p, channel], -number * len(flat) % 4)
    return total


def one_by_pairs(x: Array, lead: int) -> np.float32:
    """Return the sum of the numbers of one channel. lead: how many are before the first group of four."""
    if lead + 4 > len(x):
        return in_order(x)
    groups = x[lead : lead + (len(x) - lead) // 4 * 4].reshape(-1, 4)
    paired = len(groups) // 2 * 2
    lane = in_order(groups[0:paired:2]) + in_order(groups[1:paired:2])
    lane = lane + groups[-1] if paired < len(groups) else lane
    total = (lane[0] + lane[2]) + (lane[1] + lane[3])
    for number in [*x[:lead], *x[lead + groups.size :]]:
        total = total + number
    return total
