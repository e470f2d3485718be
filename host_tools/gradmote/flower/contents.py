"""The contents of Flower's messages: who is behind a node, a task, and what devices reply."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from flwr.app import ConfigRecord, MetricRecord, RecordDict

from ..errors import DataError
from ..federated.fleet import DeviceTest
from ..federated.server import MOST_EXAMPLES
from ..federated.task import DeviceReply, RoundTask, check_names, pack_replies, unpack_replies

_KEY = "gradmote"
_HINT = "its app is no client_app() of this version of gradmote"


def task_content(task: RoundTask) -> RecordDict:
    """Return the content of a message that gives a node a task."""
    return RecordDict({_KEY: ConfigRecord({"task": task.pack()})})


def task_of(content: RecordDict) -> RoundTask:
    """Return the task of a message. Raises DataError where it has none."""
    return RoundTask.unpack(_field(content, "task", bytes))


def names_content(names: Iterable[str]) -> RecordDict:
    """Return the content of a message that says which devices are behind a node."""
    return RecordDict({_KEY: ConfigRecord({"devices": sorted(names)})})


def names_of(content: RecordDict) -> list[str]:
    """Return the devices behind a node. Raises DataError where the message does not say them."""
    names = _field(content, "devices", list)
    if not all(isinstance(name, str) for name in names):
        raise DataError("the names of a node's devices are no texts", _HINT)
    check_names(names)
    return list(names)


def replies_content(replies: Sequence[DeviceReply]) -> RecordDict:
    """Return the content of a message with devices' replies."""
    return RecordDict({_KEY: ConfigRecord({"replies": pack_replies(replies)})})


def replies_of(content: RecordDict) -> list[DeviceReply]:
    """Return devices' replies. Raises DataError where the message has none."""
    return unpack_replies(_field(content, "replies", bytes))


def tests_content(tests: Sequence[DeviceTest]) -> RecordDict:
    """Return the content of a message with tests of devices. Those that failed are left out."""
    good = [test for test in tests if not test.fault]
    figures = MetricRecord({
        "num-examples": [test.examples for test in good],
        "loss": [test.loss for test in good],
        "accuracy": [test.accuracy for test in good],
    })  # fmt: skip
    return RecordDict({_KEY: ConfigRecord({"devices": [test.device for test in good]}), "metrics": figures})


def tests_of(content: RecordDict) -> list[DeviceTest]:
    """Return the tests of devices. Raises DataError where the message has none, or their figures are impossible."""
    names, columns = names_of(content), [_column(content, name) for name in ("num-examples", "loss", "accuracy")]
    if any(len(column) != len(names) for column in columns):
        raise DataError("a node's tests have no row for each device", _HINT)
    rows = [DeviceTest(*row) for row in zip(names, *columns)]
    for row in rows:
        right = math.isnan(row.accuracy) or 0 <= row.accuracy <= 1
        if not (isinstance(row.examples, int) and 0 < row.examples <= MOST_EXAMPLES and right) or math.isinf(row.loss):
            raise DataError(f"the test of {row.device} has impossible figures", _HINT)
    return rows


def _column(content: RecordDict, name: str) -> list[Any]:
    found = content.metric_records.get("metrics", {}).get(name)
    if not isinstance(found, list):
        raise DataError(f"a node's message has no metrics '{name}'", _HINT)
    return found


def _field(content: RecordDict, name: str, kind: type) -> Any:
    found = content.config_records.get(_KEY, {}).get(name)
    if not isinstance(found, kind):
        raise DataError(f"a node's message has no '{name}'", _HINT)
    return found
