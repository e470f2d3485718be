"""Whether a state and a learning rate may be trained with: what docs/SPEC.md calls sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .machine import Call
from .numerics import Array
from .read_tables import constants

if TYPE_CHECKING:
    from .execute import Machine

UPDATES = (
    "UPDATE",
    "GEMM_UPDATE",
    "CONV_UPDATE",
    "UPDATE_S8",
    "UPDATE_S16",
    "UPDATE_S32",
    "CONV_UPDATE_S8",
    "CONV_UPDATE_S16",
)


def is_sound(machine: Machine, kind: str) -> bool:
    """Return whether a program that updates may start.

    Look at rate and state only if something other than an update may have changed them since the last look.
    """
    updates = [call for call in machine.calls(kind) if call.i.opcode.name in UPDATES]
    rule_words = constants()["RULE_WORDS"]
    largest = min((c.flat("rule", rule_words)[-1:].view("<f4")[0] for c in updates), default=np.float32(0))
    if not largest > 0 or not np.isfinite(largest):
        return True
    rates = (machine.rate("learning_rate"), machine.rate("base_learning_rate"))
    if "rate" in machine.changed and not all(0 <= rate < largest for rate in rates):
        return False
    if "state" in machine.changed and not (_is_sound_state(machine) and all(map(_is_sound_update, updates))):
        return False
    machine.changed.clear()
    return True


def _is_sound_state(machine: Machine) -> bool:
    limits = {"PARAMETER": 2.0**60, "STATISTIC": np.inf}
    entries = [e for e in machine.image.state if e.role_name in limits and e.dtype_name == "F32"]
    return all(_below(machine.arena[e.offset : e.offset + e.size].view("<f4"), limits[e.role_name]) for e in entries)


def _below(x: Array, limit: float) -> bool:
    return bool((np.abs(x) < np.float32(limit)).all())


def _is_sound_update(c: Call) -> bool:
    if c.has("aux") and not all(0 <= correction <= 1 for correction in c.get("aux")):
        return False
    if not c.has("slot1"):
        return True
    if not c.has("slot2"):
        return _below(c.moments("slot1"), 2.0**69)
    m, v = c.moments("slot1"), c.moments("slot2")
    part = m * np.float32(2.0**-10)
    means = (v >= 0) & (v <= np.float32(2.0**127)) & (part * part <= v + np.float32(2.0**-120))
    return _below(m, 2.0**64) and bool(means.all())
