"""The list of state entries that a new model takes over from the old one.

It describes in words what gm_checkpoint_carry_over() does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..generated.records import SECTION
from . import records
from .image.read import read_state

_STAYS = {"control": "rate, schedule and counters are the new image's", "store": "the samples are not carried over"}
_KINDS = {"control": "training counters", "store": "sample store", "properties": "properties"}


@dataclass(frozen=True)
class StateEntry:
    """An entry of either model's state, whether it is taken over (`carried`), and if not, `why`."""

    name: str
    role: str
    shape: tuple[int, ...]
    carried: bool
    why: str = ""


def read_states(read: Callable[[int, int], bytes]) -> list[dict[str, Any]]:
    """Return Image.state of an image whose bytes `read(offset, size)` fetches."""
    sections = dict(zip(SECTION, records.unpack("header", read(0, records.size_of("header")))["sections"], strict=True))
    return read_state({name: read(sections[name]["offset"], sections[name]["size"]) for name in ("state", "names")})


def compare(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> list[StateEntry]:
    """Return every entry of the new model, then the old parameters that it does not train.

    old, new: Image.state.
    """
    entries = [_entry(row, old) for row in new]
    moments = [entry for entry in entries if entry.role == "slot"]
    if not all(entry.carried for entry in moments):
        entries = [_not_carried(entry) if entry.role == "slot" else entry for entry in entries]
    trained = {row["name"] for row in new if row["role"] == "parameter"}
    lost = [row for row in old if row["role"] == "parameter" and row["name"] not in trained]
    why = "the new model has or trains nothing of this name"
    return entries + [StateEntry(row["name"], row["role"], tuple(row["shape"]), False, why) for row in lost]


def _entry(row: dict[str, Any], old: Sequence[dict[str, Any]]) -> StateEntry:
    name, role, shape = row["name"] or _KINDS.get(row["role"], "without a name"), row["role"], tuple(row["shape"])
    if role in _STAYS:
        return StateEntry(name, role, shape, False, _STAYS[role])
    own = [o for o in old if o["role"] == role and (role == "properties" or (row["name"] and o["name"] == row["name"]))]
    if any((o["dtype"], o["shape"], o["size"]) == (row["dtype"], row["shape"], row["size"]) for o in own):
        return StateEntry(name, role, shape, True)
    why = difference(own[0], row) if own else "the old model has or trains nothing of this name"
    return StateEntry(name, role, shape, False, why)


def difference(old: dict[str, Any], new: dict[str, Any]) -> str:
    """Return how an entry of the old model differs from that of the new one."""
    if list(old["shape"]) == list(new["shape"]):
        return f"the old one has elements of {old['dtype']}"
    return f"the old one has shape {list(old['shape'])}"


def _not_carried(entry: StateEntry) -> StateEntry:
    why = entry.why or "other moments do not fit, and share their bias corrections"
    return StateEntry(entry.name, entry.role, entry.shape, False, why)
