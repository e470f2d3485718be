"""The arithmetic of docs/NUMERICS.md over arrays, with the constants and polynomials of its tables."""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from .read_tables import ROOT

Array = np.ndarray
_HEX = re.compile(r"-?0x[0-9a-f.]+p[+-]\d+")
EMPTY_SUM = np.float32(-0.0)
_TWO_OVER_PI = 0x00000000A2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163AB


@cache
def tables() -> dict[str, tuple[np.float32, ...]]:
    """Return the numbers of each row of the page's two tables by the row's name."""
    page = (ROOT / "docs" / "NUMERICS.md").read_text()
    found = {}
    for row in re.findall(r"^\| `(\w+)` \|(.*)$", page, re.MULTILINE):
        numbers = tuple(np.float32(float.fromhex(text)) for text in _HEX.findall(row[1]))
        if numbers:
            found[row[0]] = numbers
    return found


def constant(name: str) -> np.float32:
    """Return a constant of the page."""
    (value,) = tables()[name]
    return value


def f32(x: object) -> Array:
    """Return x as an array of binary32."""
    return np.asarray(x, np.float32)


def bits(x: Array) -> Array:
    """Return the bits of binary32 numbers as uint32."""
    return f32(x).view(np.uint32)


def from_bits(x: Array) -> Array:
    """Return the binary32 numbers of these bits."""
    return np.asarray(x, np.uint32).view(np.float32)


def power_of_two(n: Array) -> Array:
    """Return 2^n for whole n from -126 to 127."""
    return from_bits((np.asarray(n, np.int32) + 127).astype(np.uint32) << np.uint32(23))


def fused(acc: Array, a: Array, b: Array) -> Array:
    """Return acc + a b with one rounding.

    The product is exact in binary64. The sum there is rounded to odd: such a number, rounded once more, is what the
    exact sum rounds to (Boldo and Melquiond 2008).
    """
    x, y = np.asarray(acc, np.float64), np.asarray(a, np.float64) * np.asarray(b, np.float64)
    total = x + y
    part = total - x
    error = (x - (total - part)) + (y - part)
    words = total.view(np.int64)
    inexact = np.isfinite(total) & (error != 0) & (words & 1 == 0)
    outwards = (error > 0) == (total > 0)
    return (words + np.where(inexact, np.where(outwards, 1, -1), 0)).view(np.float64).astype(np.float32)


class Arithmetic:
    """The functions of one profile: fused or strict."""

    def __init__(self, profile: str) -> None:
        self.is_fused = profile == "fused"

    def mac(self, acc: object, a: object, b: object) -> Array:
        """Return MAC(acc, a, b)."""
        return fused(f32(acc), f32(a), f32(b)) if self.is_fused else f32(acc) + f32(a) * f32(b)

    def polynomial(self, name: str, z: Array) -> Array:
        """Return a polynomial of the page at z."""
        first, *rest = tables()[name]
        p = np.broadcast_to(first, np.shape(z))
        for coefficient in rest:
            p = self.mac(coefficient, p, z)
        return p

    def _reduced_by_ln2(self, x: Array) -> tuple[Array, Array]:
        rounder = constant("rounder")
        n = self.mac(rounder, x, constant("log2_e")) - rounder
        r = self.mac(self.mac(x, n, -constant("ln2_high")), n, -constant("ln2_low"))
        return n, self.mac(r, self.polynomial("exp_q", r), r * r)

    def exp(self, x: Array) -> Array:
        """Return exp(x)."""
        x = f32(x)
        inside = np.where((x >= constant("exp_least")) & (x <= constant("exp_most")), x, np.float32(0))
        n, e = self._reduced_by_ln2(inside)
        half = np.trunc(n / np.float32(2))
        y = (np.float32(1) + e) * power_of_two(half) * power_of_two(n - half)
        y = np.where(x > constant("exp_most"), np.float32(np.inf), y)
        return np.where(np.isnan(x), x, np.where(x < constant("exp_least"), np.float32(0), y))

    def expm1(self, x: Array) -> Array:
        """Return exp(x) - 1."""
        x = f32(x)
        n, e = self._reduced_by_ln2(np.where((x >= -18) & (x <= 88), x, np.float32(0)))
        power = power_of_two(n)
        y = self.mac(power - np.float32(1), e, power)
        y = np.where(x > 88, self.exp(x), y)
        return np.where(np.isnan(x), x, np.where(x < -18, np.float32(-1), y))

    def log(self, x: Array) -> Array:
        """Return the natural logarithm of x."""
        x = f32(x)
        is_small = x < np.float32(2.0**-126)
        start = np.where(x > 0, np.where(is_small, x * np.float32(2**23), x), np.float32(1))
        moved = bits(start) - np.uint32(0x3F3504F3)
        k = (moved.view(np.int32) >> 23) - np.where(is_small, 23, 0)
        m = from_bits((moved & np.uint32(0x7FFFFF)) + np.uint32(0x3F3504F3))
        y = np.where(x == np.inf, x, self._log_of(m, k.astype(np.float32)))
        return np.where(x > 0, y, np.where(x == 0, np.float32(-np.inf), np.float32(np.nan)))

    def _log_of(self, m: Array, e: Array) -> Array:
        f = m - np.float32(1)
        s = f / (np.float32(2) + f)
        z = s * s
        half = np.float32(0.5) * f * f
        series = half + z * self.polynomial("log_r", z)
        small = self.mac(e * constant("ln2_low"), s, series)
        return self.mac(f - (half - small), e, constant("ln2_high"))

    def log1p(self, x: Array) -> Array:
        """Return log(1 + x) for x >= 0."""
        x = f32(x)
        w = np.float32(1) + x
        lost = np.where(w > 2, np.float32(1) - (w - x), x - (w - np.float32(1)))
        return np.where((w == 1) | (w == np.inf), x, self.log(w) + lost / w)

    def tanh(self, x: Array) -> Array:
        """Return tanh(x)."""
        x = f32(x)
        z = x * x
        near = self.mac(x, self.polynomial("tanh_p", z) * z, x)
        t = np.float32(1) - np.float32(2) / (self.exp(np.float32(2) * np.abs(x)) + np.float32(1))
        return np.where(np.abs(x) < np.float32(0.625), near, np.where(x < 0, -t, t))

    def sigmoid(self, x: Array) -> Array:
        """Return 1 / (1 + exp(-x))."""
        z = self.exp(-np.abs(f32(x)))
        return np.where(f32(x) < 0, z, np.float32(1)) / (np.float32(1) + z)

    def erf(self, x: Array) -> Array:
        """Return erf(x)."""
        x = f32(x)
        a = np.abs(x)
        near = self.mac(x, self.polynomial("erf_p", x * x), x)
        t = np.float32(1) - self.exp(self.polynomial("erfc_p", np.minimum(a, np.float32(4))))
        t = np.where(a >= 4, np.float32(1), t)
        return np.where(a < 1, near, np.where(x < 0, -t, t))

    def sin(self, x: Array) -> Array:
        """Return sin(x)."""
        y = self._sin_shifted(np.abs(f32(x)), 0)
        return np.where(f32(x) < 0, -y, y)

    def cos(self, x: Array) -> Array:
        """Return cos(x)."""
        return self._sin_shifted(np.abs(f32(x)), 1)

    def _sin_shifted(self, a: Array, quarter: int) -> Array:
        far = np.isfinite(a) & (a >= constant("quarter_pi"))
        reduced, n = reduce_by_half_pi(np.where(far, a, np.float32(1)))
        r, n = np.where(far, reduced, a), np.where(far, n, 0) + quarter
        z = r * r
        half = np.float32(0.5) * z
        w = np.float32(1) - half
        cosine = w + self.mac((np.float32(1) - w) - half, z * z, self.polynomial("cos_p", z))
        y = np.where(n & 1, cosine, self.mac(r, self.polynomial("sin_p", z) * z, r))
        return np.where(a < np.inf, np.where(n & 2, -y, y), np.float32(np.nan))

    def atan(self, x: Array) -> Array:
        """Return arctan(x)."""
        x, one, half = f32(x), np.float32(1), np.float32(0.5)
        a = np.abs(x)
        high, low = constant("half_pi"), constant("half_pi_low")
        far = high + (low - self._atan_reduced(one / a))
        middle = half * high + (half * low + self._atan_reduced((a - one) / (a + one)))
        y = np.where(a > constant("tan_3_pi_8"), far, middle)
        near = self._atan_reduced(x)
        return np.where(a > constant("tan_pi_8"), np.where(x < 0, -y, y), near)

    def _atan_reduced(self, t: Array) -> Array:
        z = t * t
        return self.mac(t, self.polynomial("atan_p", z) * z, t)

    def sqrt(self, x: Array) -> Array:
        """Return the square root, correctly rounded."""
        return np.sqrt(f32(x))

    def sum(self, terms: Array, start: object = 0.0, axis: int = -1) -> Array:
        """Return the sum along an axis with one accumulator, in ascending order."""
        acc = f32(start)
        for term in np.moveaxis(f32(terms), axis, 0):
            acc = acc + term
        return acc

    def dot(self, start: object, a: Array, b: Array) -> Array:
        """Return MAC over the last axis of a and b, in ascending order."""
        acc = f32(start)
        for left, right in zip(np.moveaxis(f32(a), -1, 0), np.moveaxis(f32(b), -1, 0), strict=True):
            acc = self.mac(acc, left, right)
        return acc


def reduce_by_half_pi(x: Array) -> tuple[Array, Array]:
    """Return r and n with x = r + n pi/2, |r| <= pi/4, for finite x from pi/4 on; n modulo 4."""
    pairs = [_reduce_one(int(word)) for word in bits(x).ravel()]
    r = np.array([pair[0] for pair in pairs], np.float32).reshape(np.shape(x))
    return r, np.array([pair[1] for pair in pairs], np.int64).reshape(np.shape(x))


def _reduce_one(word: int) -> tuple[np.float32, int]:
    mantissa, start = word & 0x7FFFFF | 0x800000, (word >> 23) - 120
    first, second, third = (_TWO_OVER_PI >> 256 - 32 - (start + 32 * i) & 0xFFFFFFFF for i in range(3))
    turn = (mantissa * first << 32) + mantissa * second + (mantissa * third >> 32) & (1 << 64) - 1
    n = turn + (1 << 61) >> 62
    rest = turn - (n << 62) & (1 << 64) - 1
    sign = -1 if rest >> 63 else 1
    rest = (-rest & (1 << 64) - 1 if rest >> 63 else rest) | 1
    shifts = 64 - rest.bit_length()
    product = np.float32((rest << shifts >> 32) * 0xC90FDAA2 >> 32)
    return np.float32(sign) * product * np.float32(2.0 ** (-29 - shifts)), n & 3


def rounded(x: Array) -> Array:
    """Return the nearest integer, of two the even one."""
    x, big = f32(x), np.float32(2**23)
    return np.where(np.abs(x) < big, np.copysign((np.abs(x) + big) - big, x), x)


def remainder(a: Array, b: Array) -> Array:
    """Return fmod(a, b)."""
    return np.fmod(f32(a), f32(b))
