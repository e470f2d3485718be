"""The contents of Flower's messages: a node's devices, a task, and devices' replies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from flwr.app import ConfigRecord, RecordDict

from ..errors import DataError
from ..federated.fields import check_names
from ..federated.replies import DeviceReply, DeviceTest, pack_rows, unpack_rows
from ..federated.summary import SumRequest
from ..federated.task import RoundTask

_KEY = "gradmote"
_HINT = "its app is not a client_app() of this version of gradmote"


def is_ours(content: RecordDict) -> bool:
    """Return whether a message is from a DeltaStrategy or a client_app()."""
    return _KEY in content


def task_content(task: RoundTask) -> RecordDict:
    """Return the content of a message that gives a node a task."""
    return RecordDict({_KEY: ConfigRecord({"task": task.pack()})})


def task_of(content: RecordDict) -> RoundTask:
    """Return the task in a message. Raises DataError if it has none."""
    return RoundTask.unpack(_field(content, "task", bytes))


def names_content(names: Iterable[str]) -> RecordDict:
    """Return the content of a message with the names of a node's devices."""
    return RecordDict({_KEY: ConfigRecord({"devices": sorted(names)})})


def names_of(content: RecordDict) -> list[str]:
    """Return the names of a node's devices. Raises DataError if the message does not contain them."""
    names = _field(content, "devices", list)
    if not all(isinstance(name, str) for name in names):
        raise DataError("the names of a node's devices are not strings", _HINT)
    check_names(names)
    return list(names)


def replies_content(replies: Sequence[DeviceReply]) -> RecordDict:
    """Return the content of a message with devices' replies."""
    return RecordDict({_KEY: ConfigRecord({"replies": pack_rows(DeviceReply, replies)})})


def replies_of(content: RecordDict) -> list[DeviceReply]:
    """Return devices' replies. Raises DataError if the message has none."""
    return unpack_rows(DeviceReply, _field(content, "replies", bytes))


def tests_content(tests: Sequence[DeviceTest]) -> RecordDict:
    """Return the content of a message with tests of devices."""
    return RecordDict({_KEY: ConfigRecord({"tests": pack_rows(DeviceTest, tests)})})


def tests_of(content: RecordDict) -> list[DeviceTest]:
    """Return the tests of devices. Raises DataError if the message has none."""
    return unpack_rows(DeviceTest, _field(content, "tests", bytes))


def request_content(request: SumRequest) -> RecordDict:
    """Return the content of a message that requests the sum of deltas that a node's gateway keeps."""
    return RecordDict({_KEY: ConfigRecord({"request": request.pack()})})


def request_of(content: RecordDict) -> SumRequest | None:
    """Return the request for a sum; None if the message has none. Raises DataError if it is damaged."""
    found = content.config_records.get(_KEY, {}).get("request")
    return SumRequest.unpack(found) if isinstance(found, bytes) else None


def sum_content(total: bytes) -> RecordDict:
    """Return the content of a message with a sum of deltas."""
    return RecordDict({_KEY: ConfigRecord({"sum": total})})


def sum_of(content: RecordDict) -> bytes:
    """Return the sum of deltas. Raises DataError if the message has none."""
    return bytes(_field(content, "sum", bytes))


def _field(content: RecordDict, name: str, kind: type) -> Any:
    found = content.config_records.get(_KEY, {}).get(name)
    if not isinstance(found, kind):
        raise DataError(f"a node's message has no '{name}'", _HINT)
    return found
