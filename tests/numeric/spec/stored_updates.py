"""UPDATE_S8, UPDATE_S16, UPDATE_S32 and CONV_UPDATE_S8: parameters that are stored as integers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from .machine import Call, kernel
from .numerics import Array
from .quantized_gradients import weight_gradient
from .read_tables import constants, rules
from .short_moments import HALF, keep_moments, random_words

U32 = np.uint32
LONGEST = 2.0**30


def halves(c: Call, n: int) -> Array:
    """Return n numbers of 16 bits; each word gives two."""
    words = _words(c, 0, (n + 1) // 2)
    return np.stack([words & HALF, words >> U32(16)], axis=1).reshape(-1)[:n].astype(np.int64)


def _words(c: Call, first: int, n: int) -> Array:
    """Return n random words of the instruction's stream."""
    return random_words(c.get("counter"), c["stream"], first, n)


def _keep(c: Call, *moments: Array) -> None:
    keep_moments(c, list(moments), _words(c, 1 << 31, moments[0].size))


def rounded(step: Array, random: Array) -> Array:
    """Return floor((round(2^16 step) + random) / 2^16); NaN gives 0."""
    step = np.where(np.isnan(step), np.float32(0), step).astype(np.float64)
    return (np.rint(65536 * step).astype(np.int64) + random) // 65536


def _decayed(h: SimpleNamespace, g: Array, p: Array) -> Array:
    return g + h.weight_decay * p if h.weight_decay != 0 else g


def _sgd(c: Call, h: SimpleNamespace, g: Array, p: Array, lr: np.float32) -> Array:
    return lr * _decayed(h, g, p)


def _momentum(c: Call, h: SimpleNamespace, g: Array, p: Array, lr: np.float32) -> Array:
    g = _decayed(h, g, p)
    v = g + h.momentum * c.moments("slot1")
    _keep(c, v)
    return lr * (g + h.momentum * v if h.nesterov != 0 else v)


def _moments(c: Call, h: SimpleNamespace, g: Array) -> tuple[Array, Array]:
    m, v = c.moments("slot1"), c.moments("slot2")
    m, v = m + h.one_minus_beta1 * (g - m), h.beta2 * v + (h.one_minus_beta2 * g) * g
    _keep(c, m, v)
    return m, v


def _adam(c: Call, h: SimpleNamespace, g: Array, p: Array, lr: np.float32) -> Array:
    return _adam_step(c, h, _decayed(h, g, p), lr)


def _adam_step(c: Call, h: SimpleNamespace, g: Array, lr: np.float32) -> Array:
    c1, c2 = c.get("aux")
    m, v = _moments(c, h, g)
    return (lr / c1) * (m / (h.eps + c.a.sqrt(v) * (np.float32(1) / c.a.sqrt(c2))))


def _adamw(c: Call, h: SimpleNamespace, g: Array, p: Array, lr: np.float32) -> Array:
    return (lr * h.weight_decay) * p + _adam_step(c, h, g, lr)


def _adamw_ort(c: Call, h: SimpleNamespace, g: Array, p: Array, lr: np.float32) -> Array:
    c1, c2 = c.get("aux")
    m, v = _moments(c, h, g)
    step = (lr * c.a.sqrt(c2) / c1) * (m / (c.a.sqrt(v) + h.eps))
    return step + (lr * h.weight_decay) * (p - step)


STEPS = {"sgd": _sgd, "momentum": _momentum, "adam": _adam, "adamw": _adamw, "adamw_ort": _adamw_ort}


def _signed(c: Call, name: str) -> int:
    return int(np.uint32(c[name]).view(np.int32))


def update(c: Call, stored: Array, g: Array, factor: np.float32, units: Array) -> Array:
    """Return the new integers; all arrays are flat, and g is still to be multiplied by the factor."""
    words = c.flat("rule", 8)
    rule = rules()[int(words[0]) & ~constants()["MOMENTS_BF16"]]
    h = SimpleNamespace(**dict(zip(rule["hyper"], words[1:].view("<f4"))))
    lr, limit = c.flat("lr")[0], c.f32("limit")
    if rule["name"] == "sgd" and h.weight_decay == 0:
        steps = g * (lr * factor / units)
    else:
        centred = (stored.astype(np.int64) - _signed(c, "zero")).astype(U32).view(np.int32).astype(np.float32)
        steps = STEPS[rule["name"]](c, h, factor * g, centred * units, lr) * (np.float32(1) / units)
    bound = limit if 0 <= limit < LONGEST else np.float32(LONGEST)
    moved = stored.astype(np.int64) - rounded(np.clip(steps, -bound, bound), halves(c, len(stored)))
    low, high = _signed(c, "low"), _signed(c, "high")
    return np.where(moved < low, low, np.where(moved > high, high, moved))


@kernel("UPDATE_S8", "UPDATE_S16", "UPDATE_S32")
def apply_update(c: Call) -> None:
    p = c.flat("p")
    outer, channels, inner = c["outer"], c["channels"], c["inner"]
    units = np.broadcast_to(c.get("units")[None, :, None], (outer, channels, inner)).reshape(-1)
    p[...] = update(c, p.copy(), c.flat("g").copy(), c.optional("scale", [1.0])[0], units).astype(p.dtype)


@kernel("CONV_UPDATE_S8")
def conv_update(c: Call) -> None:
    gradient = weight_gradient(c)
    rows = gradient.reshape(gradient.shape[0] * gradient.shape[1], -1)
    units = np.repeat(c.get("units").reshape(-1), rows.shape[1])
    p = c.flat("p")[: 2 * rows.size].view("<i2") if c["p_bytes"] == 2 else c.flat("p")[: rows.size]
    p[...] = update(c, p.copy(), rows.reshape(-1), np.float32(1), units).astype(p.dtype)
