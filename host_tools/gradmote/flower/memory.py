"""The state of a node between two messages, for devices that live only as long as a message.

Flower may start a process for each message, and in a simulation any process may get the next one. So
sessions and twins are saved in the node's state. A board keeps its own.

The end of a round sets the shared parameters to those of the next base, whatever a device learned. So
only the rest of a device's state is saved: moments, counters, statistics and personal parameters. All
other parameters are in the base, which the devices of a round share.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flwr.app import ConfigRecord, RecordDict

from ..device.board_target import BoardTarget
from ..errors import CheckpointError
from ..federated.fleet import LocalFleet, round_of
from ..federated.replies import DeviceReply
from ..federated.task import RoundTask
from ..formats.own_state import OwnState

_PREFIX = "gradmote.round-"


@dataclass(frozen=True)
class _Base:
    """The number of a round, and the state that its devices share."""

    round: int
    state: OwnState


@dataclass(frozen=True)
class _Row:
    """The own part of a device's state, its answer with the key of the task, and its digest in LocalFleet.at_base.

    Fields are empty if there is nothing to keep.
    """

    base: _Base
    own: bytes
    key: bytes
    reply: bytes
    at_base: bytes


def recall(fleet: LocalFleet, state: RecordDict) -> None:
    """Restore each device to its state at `remember()`, including its round and its base."""
    for name, row in _rows(state):
        device: Any = fleet.devices.get(name)
        if device is None:
            continue
        if row.key:
            fleet.answers[name] = row.key, DeviceReply.unpack(row.reply)
        if row.own:
            device.load(row.base.state.whole(row.own))
            device.begin_round(row.base.round)
        if row.at_base:
            fleet.at_base[name] = row.at_base


def remember(fleet: LocalFleet, state: RecordDict, task: RoundTask) -> None:
    """Save the state and the answer of each device in the task, in the node's state.

    A device that has missed a round loads the server's checkpoint, so earlier rounds are not kept.
    """
    kept = {name: row for name, row in _rows(state) if row.base.round >= task.round - 1}
    base = _base_of(task)
    for name in sorted(fleet.devices if task.devices is None else set(task.devices) & set(fleet.devices)):
        key, reply = fleet.answers.get(name, (b"", None))
        answer = key, reply.pack() if reply else b"", fleet.at_base.get(name, b"")
        kept[name] = _Row(base, _own(fleet.devices[name], base), *answer)
    _write(kept, state)


def _base_of(task: RoundTask) -> _Base:
    """Return what the devices of a task share: nothing if they refused its invalid checkpoint."""
    try:
        return _Base(task.round, OwnState.of(task.checkpoint, task.shared))
    except CheckpointError:
        return _Base(task.round, OwnState(b"", ()))


def _own(device: Any, base: _Base) -> bytes:
    """Return the own part of a device's state; empty for a board, and for a device outside of the round."""
    if isinstance(device, BoardTarget) or round_of(device) != base.round:
        return b""
    return base.state.part_of(device.save())


# ---- The records: one for all devices of a round ------------------------------------------------------------------


def _rows(state: RecordDict) -> Iterator[tuple[str, _Row]]:
    """Yield the saved row of each device."""
    for title, record in state.config_records.items():
        if title.startswith(_PREFIX):
            kept: Any = record
            base = _Base(kept["round"], OwnState(kept["base"], tuple(kept["places"])))
            for name, *fields in zip(kept["devices"], kept["own"], kept["keys"], kept["replies"], kept["at_base"]):
                yield name, _Row(base, *fields)


def _write(kept: dict[str, _Row], state: RecordDict) -> None:
    """Replace all records."""
    for title in [title for title in state.config_records if title.startswith(_PREFIX)]:
        del state[title]
    for number, base in enumerate(dict.fromkeys(row.base for row in kept.values())):
        rows = {name: row for name, row in kept.items() if row.base == base}
        state[f"{_PREFIX}{base.round}-{number}"] = ConfigRecord({
            "round": base.round, "base": base.state.base, "places": list(base.state.places), "devices": list(rows),
            "own": [row.own for row in rows.values()], "keys": [row.key for row in rows.values()],
            "replies": [row.reply for row in rows.values()], "at_base": [row.at_base for row in rows.values()],
        })  # fmt: skip
