"""Softmax and the losses."""

from __future__ import annotations

import numpy as np

from .machine import Call, Stopped, kernel
from .numerics import Arithmetic, Array

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
MEAN, NONE = 2, 0  # enum(none, sum, mean)


# ---- Softmax, over axis 1 of (outer, classes, inner) ----------------------------------------------------------------


def exponentials(a: Arithmetic, x: Array) -> tuple[Array, Array, Array]:
    """Return x - max, its exp, and their sum."""
    largest = x[:, :1]
    for i in range(1, x.shape[1]):
        largest = np.where(x[:, i : i + 1] > largest, x[:, i : i + 1], largest)
    lower = x - largest
    e = a.exp(lower)
    return lower, e, a.sum(e, 0.0, axis=1)[:, None]


def _log_softmax(c: Call, x: Array) -> Array:
    lower, _, total = exponentials(c.a, x)
    return lower - c.a.log(total)


@kernel("SOFTMAX")
def softmax(c: Call) -> None:
    _, e, total = exponentials(c.a, c.get("x"))
    c.put("y", e / total)


@kernel("SOFTMAX_GRAD")
def softmax_grad(c: Call) -> None:
    dy, y = c.get("dy"), c.get("y")
    dot = c.a.dot(ZERO, np.moveaxis(dy, 1, -1), np.moveaxis(y, 1, -1))[:, None]
    c.put("dx", y * (dy - dot))


@kernel("LOG_SOFTMAX")
def log_softmax(c: Call) -> None:
    c.put("y", _log_softmax(c, c.get("x")))


@kernel("LOG_SOFTMAX_GRAD")
def log_softmax_grad(c: Call) -> None:
    dy = c.get("dy")
    c.put("dx", c.a.mac(dy, -c.a.exp(c.get("y")), c.a.sum(dy, 0.0, axis=1)[:, None]))


# ---- Cross entropy --------------------------------------------------------------------------------------------------


class Labels:
    """The labels (outer, inner) of an instruction, their weights and masks.

    w is 0 if a label is ignored; own picks the label's class out of (outer, classes, inner).
    """

    def __init__(self, c: Call) -> None:
        labels, classes = c.get("labels").reshape(c["outer"], c["inner"]), c["classes"]
        self.counts = labels != np.uint32(c["ignore_index"]).astype(np.int32)
        if (self.counts & ((labels < 0) | (labels >= classes))).any():
            raise Stopped("LABEL_OUT_OF_RANGE")
        safe = np.where(self.counts, labels, 0)
        self.weights = c.optional("weight", np.ones(classes))
        self.w = np.where(self.counts, self.weights[safe], ZERO)
        self.m = c.optional("mask", np.ones(labels.shape)).reshape(labels.shape)
        self.total = c.a.sum((self.m * self.w).ravel())
        self.one_hot = (np.arange(classes)[:, None] == safe[:, None]).astype(np.float32)
        self._safe = safe[:, None]

    def own(self, values: Array) -> Array:
        """Return the label's element of each line."""
        return np.take_along_axis(values, self._safe, 1)[:, 0]


def _write_loss(c: Call, labels: Labels, elements: Array) -> None:
    elements = np.where(labels.counts, elements, ZERO)
    if c["reduction"] == NONE:
        loss = c.view("loss")
        for o, i in np.ndindex(*elements.shape):
            loss[o, i] = elements[o, i]
        return
    total = c.a.sum(elements.ravel())
    if c["reduction"] == MEAN:
        total = total / labels.total if labels.total != 0 else ZERO
    c.flat("loss")[0] = total


@kernel("SOFTMAX_CROSS_ENTROPY")
def cross_entropy(c: Call) -> None:
    labels, x, smoothing = Labels(c), c.get("x"), c.f32("smoothing")
    log_prob = x if c["log_input"] else _log_softmax(c, x)
    e = labels.w * -labels.own(log_prob)
    if smoothing != 0:
        terms = np.broadcast_to(labels.weights[:, None], log_prob.shape)
        spread = c.a.dot(ZERO, np.moveaxis(terms, 1, -1), np.moveaxis(-log_prob, 1, -1))
        e = c.a.mac((ONE - smoothing) * e, smoothing / np.float32(c["classes"]), spread)
    c.put("log_prob", log_prob)
    _write_loss(c, labels, labels.m * e)


@kernel("SOFTMAX_CROSS_ENTROPY_GRAD")
def cross_entropy_grad(c: Call) -> None:
    labels, log_prob, smoothing = Labels(c), c.get("log_prob"), c.f32("smoothing")
    total = labels.total if c["reduction"] == MEAN else ONE
    share = (c.get("dloss") * labels.m)[:, None]
    factor = share * labels.w[:, None] / total
    p = np.zeros_like(log_prob) if c["log_input"] else c.a.exp(log_prob)
    dx = factor * (ONE - smoothing) * (p - labels.one_hot)
    if smoothing != 0:
        part = share / total * (smoothing / np.float32(c["classes"]))
        dx = c.a.mac(dx, part, p * c.a.sum(labels.weights) - labels.weights[:, None])
    c.put("dx", np.where(labels.counts[:, None] & (total != 0), dx, ZERO))


@kernel("SOFTMAX_CROSS_ENTROPY_WITH_GRAD")
def cross_entropy_with_grad(c: Call) -> None:
    _with_grad(c, c.a)


@kernel("SOFTMAX_CROSS_ENTROPY_PLAIN")
def cross_entropy_plain(c: Call) -> None:
    _with_grad(c, Arithmetic("strict"))


def _with_grad(c: Call, a: Arithmetic) -> None:
    labels, x = Labels(c), c.get("x")
    total = labels.total if c["reduction"] == MEAN else ONE
    factor = (c.get("dloss") * labels.m * labels.w / total)[:, None]
    lower, e, summed = exponentials(a, x)
    dx = factor * (e / summed - labels.one_hot)
    c.put("dx", np.where(labels.counts[:, None] & (total != 0), dx, ZERO))
    _write_loss(c, labels, labels.m * (labels.w * -(labels.own(lower) - a.log(summed)[:, 0])))


# ---- Losses of numbers ----------------------------------------------------------------------------------------------


def _difference(c: Call) -> Array:
    return c.get("x") - c.get("target")


@kernel("MSE_LOSS")
def mse_loss(c: Call) -> None:
    d = _difference(c)
    c.put("loss", c.f32("scale") * (d * d if c["loss_stride"] else c.a.dot(ZERO, d, d)))


@kernel("MSE_LOSS_GRAD")
def mse_loss_grad(c: Call) -> None:
    c.put("dx", (c.get("dloss") * (TWO * c.f32("scale"))) * _difference(c))


@kernel("L1_LOSS")
def l1_loss(c: Call) -> None:
    d = np.abs(_difference(c))
    c.put("loss", c.f32("scale") * (d if c["loss_stride"] else c.a.sum(d)))


@kernel("L1_LOSS_GRAD")
def l1_loss_grad(c: Call) -> None:
    d = _difference(c)
    c.put("dx", (c.get("dloss") * c.f32("scale")) * np.where(d > 0, ONE, np.where(d < 0, -ONE, d)))


def _log_weights(c: Call, t: Array) -> Array:
    return c.a.mac(ONE, c.view("pos_weight") - ONE, t) if c.has("pos_weight") else np.ones_like(t)


@kernel("BCE_WITH_LOGITS_LOSS")
def bce_loss(c: Call) -> None:
    x, t = c.get("x"), c.get("target")
    softplus = c.a.log1p(c.a.exp(-np.abs(x))) + np.where(x < 0, -x, ZERO)
    elements = c.a.mac((ONE - t) * x, _log_weights(c, t), softplus)
    if c["loss_outer"] == c["loss_inner"] == 0:
        c.flat("loss")[0] = c.f32("scale") * c.a.sum(elements.ravel())
        return
    loss = c.view("loss")
    for o, i in np.ndindex(*elements.shape):
        loss[o, i] = c.f32("scale") * elements[o, i]


@kernel("BCE_WITH_LOGITS_LOSS_GRAD")
def bce_loss_grad(c: Call) -> None:
    x, t = c.get("x"), c.get("target")
    slope = c.a.mac(ONE - t, -_log_weights(c, t), c.a.sigmoid(-x))
    c.put("dx", (c.get("dloss") * c.f32("scale")) * slope)
