"""RNN, GRU and LSTM over a sequence, and their gradients, sample by sample at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .machine import Call, kernel
from .numerics import EMPTY_SUM, Array

ZERO, ONE = np.float32(0), np.float32(1)


def steps(c: Call) -> list[tuple[int, int, int]]:
    """Return the time of each step, and the slots of the states before and after it, in the order of time."""
    count = c["steps"]
    times = range(count - 1, -1, -1) if c["reverse"] else range(count)
    return [(t, t + c["reverse"], t + 1 - c["reverse"]) for t in times]


def slot(c: Call, name: str, step: str, number: int) -> Array:
    """Return the view of one slot of an operand: (batch, hidden)."""
    size = c["batch"] * c["hidden"]
    return c.flat(name)[number * c[step] :][:size].reshape(c["batch"], c["hidden"])


def first_slot(c: Call, name: str, step: str, given: str) -> None:
    """Write the initial state, or 0, to the slot at which time begins."""
    slot(c, name, step, c["steps"] * c["reverse"])[...] = _state(c, given)


def _state(c: Call, given: str) -> Array:
    return c.get(given).reshape(c["batch"], c["hidden"]) if c.has(given) else np.zeros((c["batch"], c["hidden"]), "f4")


def recurrence(c: Call, start: Array, h: Array, r: Array) -> Array:
    """Return start[b, j] + the sum over ascending k of h[b, k] r[j, k]."""
    for k in range(h.shape[1]):
        start = c.a.mac(start, h[:, k, None], r[:, k])
    return start


def recurrence_grad(c: Call, start: Array, dz: Array, r: Array) -> Array:
    """Return start[b, k] + the sum over ascending j of dz[b, j] r[j, k]."""
    for j in range(dz.shape[1]):
        start = c.a.mac(start, dz[:, j, None], r[j])
    return start


def backwards(c: Call) -> Iterator[tuple[int, int, int, Array | None]]:
    """Yield steps against the order of time, each with the outer gradient of its output."""
    for time, before, after in reversed(steps(c)):
        yield time, before, after, c.view("dy")[time] if c.has("dy") else None


def _empty(c: Call) -> Array:
    return np.full((c["batch"], c["hidden"]), EMPTY_SUM)


def _gates(c: Call, name: str, count: int) -> Array:
    return c.flat(name).reshape(c["steps"], c["batch"], count * c["hidden"])


def _split(x: Array, count: int) -> list[Array]:
    return [part.copy() for part in np.split(x, count, axis=1)]


# ---- RNN ------------------------------------------------------------------------------------------------------------


@kernel("RNN_CELLS")
def rnn(c: Call) -> None:
    z, r = _gates(c, "z", 1).copy(), c.get("r").reshape(c["hidden"], c["hidden"])
    first_slot(c, "h", "h_step", "h0")
    sums = _gates(c, "sums", 1)
    for time, before, after in steps(c):
        total = recurrence(c, z[time], slot(c, "h", "h_step", before).copy(), r)
        sums[time] = total
        slot(c, "h", "h_step", after)[...] = np.where(total < 0, ZERO, total) if c["relu"] else c.a.tanh(total)


@kernel("RNN_CELLS_GRAD")
def rnn_grad(c: Call) -> None:
    r, dh, dz = c.get("r").reshape(c["hidden"], c["hidden"]), _state(c, "dyh"), _gates(c, "dz", 1)
    for time, _, after, dy in backwards(c):
        h, dh = slot(c, "h", "h_step", after), dh if dy is None else dh + dy
        slope = np.where(h > 0, dh, ZERO) if c["relu"] else dh * c.a.mac(ONE, -h, h)
        dz[time] = slope
        dh = recurrence_grad(c, _empty(c), slope, r)
    c.put("dh0", dh.reshape(c.view("dh0").shape))


# ---- LSTM: gates in the order i, o, f, g ----------------------------------------------------------------------------


def _peepholes(c: Call) -> list[Array] | None:
    return list(c.get("p").reshape(3, c["hidden"])) if c.has("p") else None


@kernel("LSTM_CELLS")
def lstm(c: Call) -> None:
    z, r, p = _gates(c, "z", 4).copy(), c.get("r").reshape(4 * c["hidden"], c["hidden"]), _peepholes(c)
    first_slot(c, "h", "h_step", "h0")
    first_slot(c, "c", "c_step", "c0")
    for time, before, after in steps(c):
        past = slot(c, "c", "c_step", before).copy()
        i, o, f, g = _split(recurrence(c, z[time], slot(c, "h", "h_step", before).copy(), r), 4)
        i = c.a.sigmoid(c.a.mac(i, p[0], past) if p else i)
        f = ONE - i if c["coupled"] else c.a.sigmoid(c.a.mac(f, p[2], past) if p else f)
        g = c.a.tanh(g)
        now = c.a.mac(i * g, f, past)
        o = c.a.sigmoid(c.a.mac(o, p[1], now) if p else o)
        _gates(c, "gates", 4)[time] = np.concatenate((i, o, f, g), axis=1)
        slot(c, "c", "c_step", after)[...] = now
        slot(c, "h", "h_step", after)[...] = o * c.a.tanh(now)


@kernel("LSTM_CELLS_GRAD")
def lstm_grad(c: Call) -> None:
    r, p = c.get("r").reshape(4 * c["hidden"], c["hidden"]), _peepholes(c)
    gates, cells = _gates(c, "gates", 4).copy(), c.flat("c").copy()
    size, shape = c["batch"] * c["hidden"], (c["batch"], c["hidden"])
    dh, dc = _state(c, "dyh"), _state(c, "dyc")
    for time, before, after, dy in backwards(c):
        past, now = (cells[at * c["c_step"] :][:size].reshape(shape) for at in (before, after))
        d = dh if dy is None else dh + dy
        dz, dc = _lstm_step(c, _split(gates[time], 4), p, past, now, d, dc)
        _gates(c, "dz", 4)[time] = dz
        dh = recurrence_grad(c, _empty(c), dz, r)
    c.put("dh0", dh.reshape(c.view("dh0").shape))
    c.put("dc0", dc.reshape(c.view("dc0").shape))


def _lstm_step(
    c: Call, gates: list[Array], p: list[Array] | None, past: Array, now: Array, dh: Array, dc: Array
) -> tuple[Array, Array]:
    """Return dz and the gradient of the cells before the step."""
    i, o, f, g = gates
    t = c.a.tanh(now)
    do = (dh * t) * (o * (ONE - o))
    dc = c.a.mac(dc, dh * o, c.a.mac(ONE, -t, t))
    dc = c.a.mac(dc, p[1], do) if p else dc
    di = (dc * (g - past if c["coupled"] else g)) * (i * (ONE - i))
    df = np.zeros_like(dc) if c["coupled"] else (dc * past) * (f * (ONE - f))
    dg = (dc * i) * c.a.mac(ONE, -g, g)
    dz = np.concatenate((di, do, df, dg), axis=1)
    past_dc = dc * f
    return dz, c.a.mac(c.a.mac(past_dc, p[0], di), p[2], df) if p else past_dc


# ---- GRU: gates in the order z, r, n --------------------------------------------------------------------------------


def _gru_weights(c: Call) -> tuple[Array, Array]:
    r = c.get("r").reshape(3 * c["hidden"], c["hidden"])
    return r[: 2 * c["hidden"]], r[2 * c["hidden"] :]


@kernel("GRU_CELLS")
def gru(c: Call) -> None:
    inputs, (r_zr, r_n) = _gates(c, "z", 3).copy(), _gru_weights(c)
    first_slot(c, "h", "h_step", "h0")
    for time, before, after in steps(c):
        past, hidden = slot(c, "h", "h_step", before).copy(), c["hidden"]
        z, r = _split(c.a.sigmoid(recurrence(c, inputs[time, :, : 2 * hidden], past, r_zr)), 2)
        candidate = inputs[time, :, 2 * hidden :]
        if c["reset_after"]:
            start = np.broadcast_to(c.optional("bias", EMPTY_SUM), past.shape)
            part = recurrence(c, start, past, r_n)
            candidate = c.a.mac(candidate, r, part)
        else:
            part = r * past
            candidate = recurrence(c, candidate, part, r_n)
        n = c.a.tanh(candidate)
        slot(c, "part", "part_step", time)[...] = part
        _gates(c, "gates", 3)[time] = np.concatenate((z, r, n), axis=1)
        slot(c, "h", "h_step", after)[...] = c.a.mac(n, z, past - n)


@kernel("GRU_CELLS_GRAD")
def gru_grad(c: Call) -> None:
    (r_zr, r_n), gates, dh = _gru_weights(c), _gates(c, "gates", 3).copy(), _state(c, "dyh")
    for time, before, _, dy in backwards(c):
        past, part = slot(c, "h", "h_step", before), slot(c, "part", "part_step", time)
        z, r, n = _split(gates[time], 3)
        d = dh if dy is None else dh + dy
        dz = (d * (past - n)) * (z * (ONE - z))
        dn = (d * (ONE - z)) * c.a.mac(ONE, -n, n)
        dh = d * z
        if c["reset_after"]:
            dpart = dn * r
            dr = (dn * part) * (r * (ONE - r))
            dh = recurrence_grad(c, dh, dpart, r_n)
        else:
            dpart = recurrence_grad(c, _empty(c), dn, r_n)
            dr = (dpart * past) * (r * (ONE - r))
            dh = c.a.mac(dh, dpart, r)
        _gates(c, "dz", 3)[time] = np.concatenate((dz, dr, dn), axis=1)
        slot(c, "dpart", "dpart_step", time)[...] = dpart
        dh = recurrence_grad(c, dh, np.concatenate((dz, dr), axis=1), r_zr)
    c.put("dh0", dh.reshape(c.view("dh0").shape))
