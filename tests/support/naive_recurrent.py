"""LSTM, GRU and RNN from their equations in the ONNX specification, for onnx.reference: its own support only one
direction, and no input_forget."""

from __future__ import annotations

import numpy as np
from onnx.reference.op_run import OpRun


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(node, x, state, w, r, b, p):
    (h, c), n = state, r.shape[-1]
    wb, rb = b[: 4 * n], b[4 * n :]
    i, o, f, g = np.split(x @ w.T + h @ r.T + wb + rb, 4, axis=1)
    p_i, p_o, p_f = np.split(p, 3)
    i = sigmoid(i + p_i * c)
    f = 1 - i if node["input_forget"] else sigmoid(f + p_f * c)
    c = f * c + i * np.tanh(g)
    return sigmoid(o + p_o * c) * np.tanh(c), c


def gru_step(node, x, state, w, r, b, p):
    (h,) = state
    (w_z, w_r, w_h), (r_z, r_r, r_h) = np.split(w, 3), np.split(r, 3)
    wb_z, wb_r, wb_h, rb_z, rb_r, rb_h = np.split(b, 6)
    z = sigmoid(x @ w_z.T + h @ r_z.T + wb_z + rb_z)
    reset = sigmoid(x @ w_r.T + h @ r_r.T + wb_r + rb_r)
    past = reset * (h @ r_h.T + rb_h) if node["linear_before_reset"] else (reset * h) @ r_h.T + rb_h
    return ((1 - z) * np.tanh(x @ w_h.T + past + wb_h) + z * h,)


def rnn_step(node, x, state, w, r, b, p):
    total = x @ w.T + state[0] @ r.T + b[: len(r)] + b[len(r) :]
    return (np.maximum(total, 0) if node["activation"] == "Relu" else np.tanh(total),)


def walk(step, node, x, w, r, b, p, initial):
    """Return one direction over x (T, B, I): outputs (T, B, H) and the last states."""
    state, outputs = initial, [None] * len(x)
    for t in reversed(range(len(x))) if node["reverse"] else range(len(x)):
        state = step(node, x[t], state, w, r, b, p)
        outputs[t] = state[0]
    return np.stack(outputs), state


def recurrent(step, gates, node, x, w, r, b, initial, p=None):
    """Return all directions; initial: as many states as the operator has, None if absent."""
    first = node["layout"] == 1
    x = np.swapaxes(x, 0, 1) if first else x
    initial = [np.swapaxes(s, 0, 1) if first and s is not None else s for s in initial]
    count, hidden = w.shape[0], r.shape[2]
    b = np.zeros((count, 2 * gates * hidden)) if b is None else b
    p = np.zeros((count, 3 * hidden)) if p is None else p
    runs = []
    for d in range(count):
        reverse = node["direction"] == "reverse" or d == 1
        names = node["activations"]
        own = {**node, "reverse": reverse, "activation": names[d].title() if names else None}
        states = [np.zeros((x.shape[1], hidden)) if s is None else s[d] for s in initial]
        runs.append(walk(step, own, x, w[d], r[d], b[d], p[d], states))
    y = np.stack([run[0] for run in runs], 1)
    last = [np.stack([run[1][i] for run in runs]) for i in range(len(initial))]
    if first:
        y, last = y.transpose(2, 0, 1, 3), [np.swapaxes(s, 0, 1) for s in last]
    return (y, *last)


class LSTM(OpRun):
    def _run(self, x, w, r, b=None, lens=None, h=None, c=None, p=None, activation_alpha=None, activation_beta=None,
             activations=None, clip=None, direction=None, hidden_size=None, input_forget=None,
             layout=None):  # fmt: skip
        node = {"input_forget": input_forget, "layout": layout, "direction": direction, "activations": None}
        return recurrent(lstm_step, 4, node, x, w, r, b, [h, c], p)[: len(self.onnx_node.output)]


class GRU(OpRun):
    def _run(self, x, w, r, b=None, lens=None, h=None, activation_alpha=None, activation_beta=None, activations=None,
             clip=None, direction=None, hidden_size=None, layout=None, linear_before_reset=None):  # fmt: skip
        node = {"linear_before_reset": linear_before_reset, "layout": layout, "direction": direction}
        return recurrent(gru_step, 3, {**node, "activations": None}, x, w, r, b, [h])[: len(self.onnx_node.output)]


class RNN(OpRun):
    def _run(self, x, w, r, b=None, lens=None, h=None, activation_alpha=None, activation_beta=None, activations=None,
             clip=None, direction=None, hidden_size=None, layout=None):  # fmt: skip
        node = {"layout": layout, "direction": direction, "activations": activations}
        return recurrent(rnn_step, 1, node, x, w, r, b, [h])[: len(self.onnx_node.output)]


NAIVE = [LSTM, GRU, RNN]
