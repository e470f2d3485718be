"""UPDATE, BIAS_CORRECTION, CLIP_SCALE, SUM_SQUARES and the update rules."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from .machine import Call, kernel
from .numerics import Array, constant
from .read_tables import constants, rules
from .short_moments import STREAM, keep_moments, random_words

ONE = np.float32(1)


def update(c: Call, g: Array, scale: Array) -> None:
    """Apply the instruction's rule to its parameters with the gradient scale * g."""
    words = c.flat("rule", 8)
    rule = rules()[int(words[0]) & ~constants()["MOMENTS_BF16"]]
    h = SimpleNamespace(**dict(zip(rule["hyper"], words[1:].view("<f4"))))
    lr = c.flat("lr")[0]
    RULES[rule["name"]](c, h, scale * g, lr)


def _moment(c: Call, name: str) -> Array:
    return c.moments(name).reshape(c.view(name).shape)


def _keep(c: Call, *moments: Array) -> None:
    """Store the moments. The number of a random word is that of the bfloat16 at its place in the arena."""
    words = random_words(c.counter, STREAM, c.i.operands["slot1"] // 2, moments[0].size)
    keep_moments(c, list(moments), words)


def _decayed(c: Call, h: SimpleNamespace, g: Array) -> Array:
    return c.a.mac(g, h.weight_decay, c.get("p")) if h.weight_decay != 0 else g


def _sgd(c: Call, h: SimpleNamespace, g: Array, lr: np.float32) -> None:
    c.put("p", c.a.mac(c.get("p"), -lr, _decayed(c, h, g)))


def _momentum(c: Call, h: SimpleNamespace, g: Array, lr: np.float32) -> None:
    g = _decayed(c, h, g)
    v = c.a.mac(g, h.momentum, _moment(c, "slot1"))
    _keep(c, v)
    c.put("p", c.a.mac(c.get("p"), -lr, c.a.mac(g, h.momentum, v) if h.nesterov != 0 else v))


def _moments(c: Call, h: SimpleNamespace, g: Array) -> tuple[Array, Array]:
    m, v = _moment(c, "slot1"), _moment(c, "slot2")
    m = c.a.mac(m, h.one_minus_beta1, g - m)
    v = c.a.mac(h.beta2 * v, h.one_minus_beta2 * g, g)
    _keep(c, m, v)
    return m, v


def _adam_step(c: Call, h: SimpleNamespace, g: Array, lr: np.float32, p: Array) -> None:
    c1, c2 = c.get("aux")
    m, v = _moments(c, h, g)
    c.put("p", c.a.mac(p, -(lr / c1), m / c.a.mac(h.eps, c.a.sqrt(v), ONE / c.a.sqrt(c2))))


def _adam(c: Call, h: SimpleNamespace, g: Array, lr: np.float32) -> None:
    _adam_step(c, h, _decayed(c, h, g), lr, c.get("p"))


def _adamw(c: Call, h: SimpleNamespace, g: Array, lr: np.float32) -> None:
    _adam_step(c, h, g, lr, c.get("p") * c.a.mac(ONE, -lr, h.weight_decay))


def _adamw_ort(c: Call, h: SimpleNamespace, g: Array, lr: np.float32) -> None:
    c1, c2 = c.get("aux")
    m, v = _moments(c, h, g)
    p = c.a.mac(c.get("p"), -(lr * c.a.sqrt(c2) / c1), m / (c.a.sqrt(v) + h.eps))
    c.put("p", c.a.mac(p, -(lr * h.weight_decay), p))


RULES = {"sgd": _sgd, "momentum": _momentum, "adam": _adam, "adamw": _adamw, "adamw_ort": _adamw_ort}


@kernel("UPDATE")
def apply_update(c: Call) -> None:
    update(c, c.get("g"), c.optional("scale", [1.0])[0])


@kernel("BIAS_CORRECTION")
def bias_correction(c: Call) -> None:
    betas = [(c.f32("one_minus_beta1"), c.f32("beta1")), (c.f32("one_minus_beta2"), c.f32("beta2"))]
    c.put("c", np.array([c.a.mac(rest, old, beta) for old, (rest, beta) in zip(c.get("c"), betas)]))


@kernel("SUM_SQUARES")
def sum_squares(c: Call) -> None:
    x = c.get("x")
    c.put("y", c.a.dot(c.get("y")[0] if c["accumulate"] else 0.0, x, x))


@kernel("CLIP_SCALE")
def clip_scale(c: Call) -> None:
    scale = c.optional("scale", [1.0])[0]
    ratio = c.f32("max_norm") / (scale * c.a.sqrt(c.get("sum_squares")) + constant("clip_least"))
    c.put("y", scale * np.where(ratio > 1, ONE, ratio))
