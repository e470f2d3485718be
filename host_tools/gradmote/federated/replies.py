"""The reply of each device to a task: what it learned, or how well the base does on its samples.

Replies travel over networks as bytes, which are hostile until each field is checked. `Server.add()` decides
whether a delta is for the round's base.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from ..errors import DataError
from .fields import MOST_TEXT, Reader, check_names, printable, require_within, sized

#: The most examples that a device may claim: no device outweighs all others.
MOST_EXAMPLES = 2**20


@dataclass(frozen=True)
class DeviceReply:
    """The update of one device.

    Attributes:
        device: Its name.
        delta: What it learned; empty if it failed.
        examples: The number of its samples, 0 .. 2^20.
        loss: The mean over the steps of its last epoch; NaN if it failed.
        seconds: The time that it took.
        bytes_up: The bytes that it sent to the node.
        bytes_down: The bytes that the node sent to it, without its samples.
        fault: What went wrong, and what to do about it; empty if the delta is good.
    """

    MAGIC: ClassVar[bytes] = b"GMRR0001"

    device: str
    delta: bytes = b""
    examples: int = 0
    loss: float = math.nan
    seconds: float = 0.0
    bytes_up: int = 0
    bytes_down: int = 0
    fault: str = ""

    def __post_init__(self) -> None:
        """Raise DataError if a field is impossible."""
        _require_row(self)
        if bool(self.delta) == bool(self.fault):
            raise DataError(f"{self.device} has both a delta and a fault, or neither", "send one of them")
        if not self.fault and not math.isfinite(self.loss):
            raise DataError(f"{self.device} reports a loss of {self.loss}", "a device whose loss is not finite failed")
        if not (math.isfinite(self.seconds) and self.seconds >= 0):
            raise DataError(f"{self.device} says it took {self.seconds} seconds", "say how long it took")
        require_within(self.examples, MOST_EXAMPLES, "examples")
        for name in ("bytes_up", "bytes_down"):
            require_within(getattr(self, name), 2**63 - 1, name)

    def pack(self) -> bytes:
        """Return the reply as bytes."""
        numbers = struct.pack("<IddQQ", self.examples, self.loss, self.seconds, self.bytes_up, self.bytes_down)
        return sized(self.device.encode()) + sized(self.delta) + numbers + sized(self.fault.encode())

    @classmethod
    def unpack(cls, data: bytes) -> DeviceReply:
        """Return the reply in these bytes. Raises DataError if they are not one."""
        reader = Reader(data)
        device, delta = reader.text(), reader.sized()
        examples, loss, seconds, up, down = reader.numbers("<IddQQ")
        fault = printable(reader.text())
        reader.end()
        return cls(device, delta, examples, loss, seconds, up, down, fault)


@dataclass(frozen=True)
class DeviceTest:
    """The test of a base on one device's own samples.

    Attributes:
        device: Its name.
        examples: The number of samples, 1 .. 2^20; 0 if it failed.
        loss: The mean over the full batches; NaN if there is none.
        accuracy: The share of correctly predicted labels, 0 to 1; NaN without classes.
        fault: What went wrong, and what to do about it; empty if the figures are good.
    """

    MAGIC: ClassVar[bytes] = b"GMRE0001"

    device: str
    examples: int = 0
    loss: float = math.nan
    accuracy: float = math.nan
    fault: str = ""

    def __post_init__(self) -> None:
        """Raise DataError if a field is impossible."""
        _require_row(self)
        least = 0 if self.fault else 1
        if not least <= self.examples <= MOST_EXAMPLES:
            raise DataError(f"{self.device} reports {self.examples} examples", f"a test has {least} to {MOST_EXAMPLES}")
        if math.isinf(self.loss):
            raise DataError(f"{self.device} reports a loss of {self.loss}", "a test whose loss is infinite failed")
        if not (math.isnan(self.accuracy) or 0 <= self.accuracy <= 1):
            raise DataError(f"{self.device} reports an accuracy of {self.accuracy}", "it goes from 0 to 1")

    def pack(self) -> bytes:
        """Return the test as bytes."""
        numbers = struct.pack("<Idd", self.examples, self.loss, self.accuracy)
        return sized(self.device.encode()) + numbers + sized(self.fault.encode())

    @classmethod
    def unpack(cls, data: bytes) -> DeviceTest:
        """Return the test in these bytes. Raises DataError if they are not one."""
        reader = Reader(data)
        device = reader.text()
        examples, loss, accuracy = reader.numbers("<Idd")
        fault = printable(reader.text())
        reader.end()
        return cls(device, examples, loss, accuracy, fault)


#: The reply of one device. Each device in the task has one, even if it failed. All rows of a node begin with
#: MAGIC.
Row = DeviceReply | DeviceTest
AnyRow = TypeVar("AnyRow", DeviceReply, DeviceTest)


def _require_row(row: Row) -> None:
    """Raise DataError if a row has no valid name, or its fault is too long."""
    check_names((row.device,))
    if len(row.fault.encode()) > MOST_TEXT:
        raise DataError(f"the fault of {row.device} has more than {MOST_TEXT} bytes", "shorten it")


def pack_rows(kind: type[AnyRow], rows: Iterable[AnyRow]) -> bytes:
    """Return all rows of a node as bytes. kind: DeviceReply or DeviceTest."""
    packed = [row.pack() for row in rows]
    return kind.MAGIC + struct.pack("<I", len(packed)) + b"".join(map(sized, packed))


def unpack_rows(kind: type[AnyRow], data: bytes) -> list[AnyRow]:
    """Return the rows in these bytes. Raises DataError if they are not of this kind, or one device has two."""
    reader = Reader(data, kind.MAGIC)
    rows = reader.several(lambda: kind.unpack(reader.sized()))
    reader.end()
    check_names([row.device for row in rows])
    return rows
