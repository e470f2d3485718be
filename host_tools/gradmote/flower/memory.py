"""The state of a node between two messages, for devices that live no longer than a message.

Flower may start a process for each message, and in a simulation any process may get the next one. So
sessions and twins go into the node's state. A board keeps its own.
"""

from __future__ import annotations

from typing import Any

from flwr.app import ConfigRecord, RecordDict

from ..device.board_target import BoardTarget
from ..federated.fleet import LocalFleet, round_of
from ..federated.replies import DeviceReply
from ..federated.task import RoundTask

_PREFIX = "gradmote."


def recall(fleet: LocalFleet, state: RecordDict) -> None:
    """Bring each device to where `remember()` found it, its round and its base included."""
    for name, device in fleet.devices.items():
        kept: Any = state.config_records.get(_PREFIX + name)
        if kept is None:
            continue
        if kept["key"]:
            fleet.answers[name] = kept["key"], DeviceReply.unpack(kept["reply"])
        if kept["state"]:
            device.load(kept["base"])
            device.begin_round(kept["round"])
            device.load(kept["state"])
        if kept["at_base"]:
            fleet.at_base[name] = kept["at_base"]


def remember(fleet: LocalFleet, state: RecordDict, task: RoundTask) -> None:
    """Keep what each device of the task is and has answered, in the node's state."""
    for name in fleet.devices if task.devices is None else set(task.devices) & set(fleet.devices):
        key, reply = fleet.answers.get(name, (b"", None))
        device, fields = fleet.devices[name], {"round": 0, "base": b"", "state": b""}
        if not isinstance(device, BoardTarget) and round_of(device) == task.round:
            fields = {"round": task.round, "base": task.checkpoint, "state": device.save()}
        answer = {"key": key, "reply": reply.pack() if reply else b"", "at_base": fleet.at_base.get(name, b"")}
        state[_PREFIX + name] = ConfigRecord({**fields, **answer})
