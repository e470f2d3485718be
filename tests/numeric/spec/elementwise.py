"""Operators that compute each element of their result from one of each operand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .machine import Call, Stopped, kernel, relu
from .numerics import Array, bits, constant, f32, remainder, rounded

ZERO, HALF, ONE, TWO, THREE = map(np.float32, (0, 0.5, 1, 2, 3))
SIXTH, THIRD = constant("sixth"), constant("third")
Formula = Callable[..., Array]


def _choose(condition: Array, yes: object, no: object) -> Array:
    return np.where(condition, f32(yes), f32(no))


# ---- One operand ----------------------------------------------------------------------------------------------------


def _softplus(c: Call, x: Array) -> Array:
    return c.a.log1p(c.a.exp(-np.abs(x))) + _choose(x > 0, x, 0)


def _mish_parts(c: Call, x: Array) -> tuple[Array, Array]:
    z = c.a.exp(-np.abs(x))
    a = _choose(x >= 0, ONE + TWO * z, z * (z + TWO))
    return a, _choose(x >= 0, (TWO * z) * z, TWO)


def _mish(c: Call, x: Array) -> Array:
    a, b = _mish_parts(c, x)
    return x * (a / (a + b))


def _normal(c: Call, x: Array) -> Array:
    return c.a.mac(HALF, HALF, c.a.erf(constant("sqrt_half") * x))


def _gelu_tanh_inner(c: Call, x: Array) -> Array:
    return x * c.a.mac(_A, _B, x * x)


_A, _B = constant("gelu_a"), constant("gelu_b")

UNARY: dict[str, Formula] = {
    "RELU": lambda c, x: relu(x),
    "LEAKY_RELU": lambda c, x: _choose(x < 0, c.f32("alpha") * x, x),
    "SIGMOID": lambda c, x: c.a.sigmoid(x),
    "TANH": lambda c, x: c.a.tanh(x),
    "ABS": lambda c, x: np.abs(x),
    "EXP": lambda c, x: c.a.exp(x),
    "LOG": lambda c, x: c.a.log(x),
    "SQRT": lambda c, x: c.a.sqrt(x),
    "CLAMP": lambda c, x: _clamped(x, c.f32("low"), c.f32("high")),
    "ELU": lambda c, x: _choose(
        x > 0, c.f32("scale") * x, c.f32("alpha") * c.a.expm1(_choose(x > 0, 0, c.f32("rate") * x))
    ),
    "HARD_SIGMOID": lambda c, x: _clamped(c.a.mac(c.f32("beta"), c.f32("alpha"), x), ZERO, ONE),
    "HARD_SWISH": lambda c, x: _choose(x <= -3, 0, _choose(x >= 3, x, x * c.a.mac(HALF, x, SIXTH))),
    "SOFTPLUS": _softplus,
    "SOFTSIGN": lambda c, x: x / (ONE + np.abs(x)),
    "MISH": _mish,
    "SWISH": lambda c, x: x * c.a.sigmoid(c.f32("alpha") * x),
    "GELU": lambda c, x: x * _normal(c, x),
    "GELU_TANH": lambda c, x: x * c.a.sigmoid(_gelu_tanh_inner(c, x)),
    "ERF": lambda c, x: c.a.erf(x),
    "SIN": lambda c, x: c.a.sin(x),
    "COS": lambda c, x: c.a.cos(x),
    "ATAN": lambda c, x: c.a.atan(x),
    "LOG1P": lambda c, x: c.a.log1p(x),
    "SIGN": lambda c, x: _choose(x > 0, 1, _choose(x < 0, -1, x)),
    "INT_TO_FLOAT": lambda c, x: x.astype(np.float32),
    "BF16_TO_FLOAT": lambda c, x: (x.astype(np.uint16).astype(np.uint32) << 16).view(np.float32),
}


def _clamped(x: Array, low: np.float32, high: np.float32) -> Array:
    t = _choose(x < low, low, x)
    return _choose(t > high, high, t)


@kernel(*UNARY)
def unary(c: Call) -> None:
    c.put("y", UNARY[c.i.opcode.name](c, c.get("x")))


@kernel("ROUND")
def round_(c: Call) -> None:
    x = c.get("x")
    r = rounded(x)
    down, up = _choose(r > x, r - ONE, r), _choose(r < x, r + ONE, r)
    c.put("y", (r, down, up)[c["direction"]])


@kernel("FLOAT_TO_BF16")
def float_to_bf16(c: Call) -> None:
    x = c.get("x")
    lower = bits(x).astype(np.uint64)
    rounded_up = lower + 0x7FFF + (lower >> 16 & 1) >> 16
    c.put("y", np.where(np.isnan(x), 0x7FC0, rounded_up).astype(np.uint16).view(np.int16))


@kernel("FLOAT_TO_INT")
def float_to_int(c: Call) -> None:
    x = c.get("x").astype(np.float64)
    whole = np.clip(np.trunc(np.nan_to_num(x, nan=0.0)), -(2.0**31), 2.0**31 - 1)
    c.put("y", whole.astype(np.int32))


# ---- Gradients ------------------------------------------------------------------------------------------------------


def _abs_grad(c: Call, dy: Array, x: Array) -> Array:
    return _choose(x > 0, dy, _choose(x < 0, -dy, dy * x))


def _elu_grad(c: Call, dy: Array, y: Array) -> Array:
    return _choose(y > 0, c.f32("scale") * dy, dy * (c.f32("rate") * (y + c.f32("alpha"))))


def _mish_grad(c: Call, dy: Array, x: Array) -> Array:
    a, b = _mish_parts(c, x)
    t = a / (a + b)
    return dy * c.a.mac(t, (x * c.a.sigmoid(x)) * (b / (a + b)), ONE + t)


def _swish_grad(c: Call, dy: Array, x: Array) -> Array:
    u = c.f32("alpha") * x
    s = c.a.sigmoid(u)
    return dy * c.a.mac(s, u * s, c.a.sigmoid(-u))


def _gelu_grad(c: Call, dy: Array, x: Array) -> Array:
    density = constant("inv_sqrt_2pi") * c.a.exp((-x / TWO) * x)
    return dy * c.a.mac(_normal(c, x), x, density)


def _gelu_tanh_grad(c: Call, dy: Array, x: Array) -> Array:
    u = _gelu_tanh_inner(c, x)
    s = c.a.sigmoid(u)
    return dy * c.a.mac(s, (x * s) * c.a.sigmoid(-u), c.a.mac(_A, THREE * _B, x * x))


def _softsign_grad(c: Call, dy: Array, x: Array) -> Array:
    d = ONE + np.abs(x)
    return dy / (d * d)


#: Each takes dy and the other operand, x or y.
GRADIENTS: dict[str, Formula] = {
    "RELU_GRAD": lambda c, dy, y: _choose(y > 0, dy, 0),
    "LEAKY_RELU_GRAD": lambda c, dy, x: _choose(x > 0, dy, c.f32("alpha") * dy),
    "SIGMOID_GRAD": lambda c, dy, y: (dy * y) * (ONE - y),
    "TANH_GRAD": lambda c, dy, y: dy * c.a.mac(ONE, -y, y),
    "ABS_GRAD": _abs_grad,
    "CLAMP_GRAD": lambda c, dy, x: _choose((x < c.f32("low")) | (x > c.f32("high")), 0, dy),
    "ELU_GRAD": _elu_grad,
    "HARD_SIGMOID_GRAD": lambda c, dy, y: _choose((y > 0) & (y < 1), c.f32("alpha") * dy, 0),
    "HARD_SWISH_GRAD": lambda c, dy, x: _choose(
        x <= -3, 0, _choose(x >= 3, dy, dy * c.a.mac(HALF, x, THIRD))
    ),
    "SOFTPLUS_GRAD": lambda c, dy, x: dy * c.a.sigmoid(x),
    "SOFTSIGN_GRAD": _softsign_grad,
    "MISH_GRAD": _mish_grad,
    "SWISH_GRAD": _swish_grad,
    "GELU_GRAD": _gelu_grad,
    "GELU_TANH_GRAD": _gelu_tanh_grad,
}  # fmt: skip


@kernel(*GRADIENTS)
def gradient(c: Call) -> None:
    other = c.i.opcode.operands[1].name
    c.put("dx", GRADIENTS[c.i.opcode.name](c, c.get("dy"), c.get(other)))


@kernel("MASK")
def mask(c: Call) -> None:
    x = c.get("x")
    bit = x > 0 if c["relu"] else ~((x < c.f32("low")) | (x > c.f32("high")))
    c.flat("mask")[:] = np.packbits(bit, bitorder="little")


@kernel("MASK_GRAD")
def mask_grad(c: Call) -> None:
    bit = np.unpackbits(c.flat("mask"), bitorder="little")[: c["n"]]
    c.put("dx", _choose(bit == 1, c.get("dy"), 0))


# ---- Two and three operands -----------------------------------------------------------------------------------------


def _power(c: Call, a: Array, b: Array) -> Array:
    with np.errstate(all="ignore"):
        whole = np.isfinite(b) & (np.trunc(b) == b)
        small = whole & (np.abs(b) <= 16)
        odd = whole & (np.abs(b) < 2**24) & (np.fmod(b, TWO) != 0)
        even = whole & (np.abs(b) < 2**24)
        base = np.where(even, np.abs(a), a)
        general = c.a.exp(b * c.a.log(base))
        general = np.where(odd & (a < 0), -general, general)
    return np.where(small, _whole_power(a, np.where(small, b, ZERO)), general)


def _whole_power(a: Array, b: Array) -> Array:
    count, y, square = np.abs(b).astype(np.int32), np.ones_like(a), a
    for i in range(5):
        y = np.where(count >> i & 1, y * square, y)
        square = square * square
    return np.where(b < 0, ONE / y, y)


BINARY: dict[str, Formula] = {
    "ADD": lambda c, a, b: a + b,
    "SUB": lambda c, a, b: a - b,
    "MUL": lambda c, a, b: a * b,
    "DIV": lambda c, a, b: a / b,
    "MAX": lambda c, a, b: _choose((a > b) | np.isnan(a), a, b),
    "MIN": lambda c, a, b: _choose((a < b) | np.isnan(a), a, b),
    "HEAVISIDE": lambda c, a, b: _choose(a > b, 1, _choose(a < b, 0, HALF)),
    "PRELU": lambda c, a, b: _choose(a < 0, b * a, a),
    "PRELU_SLOPE": lambda c, a, b: _choose(a > 0, 1, b),
    "GREATER": lambda c, a, b: _choose(a > b, 1, 0),
    "GREATER_OR_EQUAL": lambda c, a, b: _choose(a >= b, 1, 0),
    "EQUAL": lambda c, a, b: _choose(a == b, 1, 0),
    "POW": _power,
    "FMOD": lambda c, a, b: remainder(a, b),
}


@kernel(*BINARY)
def binary(c: Call) -> None:
    c.put("y", BINARY[c.i.opcode.name](c, c.get("a"), c.get("b")))


@kernel("SELECT")
def select(c: Call) -> None:
    c.put("y", np.where(c.get("c") != 0, c.get("a"), c.get("b")))


@kernel("COPY")
def copy(c: Call) -> None:
    c.put("y", c.get("x"))


@kernel("SHIFT")
def shift(c: Call) -> None:
    x = c.view("x")
    x[: max(0, c["n"] - c["by"])] = x[c["by"] :].copy()


# ---- Checks ---------------------------------------------------------------------------------------------------------


@kernel("CHECK_FINITE")
def check_finite(c: Call) -> None:
    if not np.isfinite(c.view("x")).all():
        raise Stopped("NOT_FINITE")


@kernel("CHECK_BOUND")
def check_bound(c: Call) -> None:
    x, limit = (bits(values) & np.uint32(0x7FFFFFFF) for values in (c.get("x"), c.f32("limit")))
    if (x >= limit).any():
        raise Stopped("NOT_FINITE")
