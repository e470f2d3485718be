"""The task that a server gives devices in a round, and the reply of each of them.

Both go over networks as bytes (`pack()`, `unpack()`), which are hostile until each field was checked.
Whether a delta is one of the round's base is for `Server.add()` to say.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..errors import DataError
from ..formats.rounds import check_bits
from .server import MOST_EXAMPLES

#: The most bytes of a name of a device, of a pattern of parameters, and of a sentence on a fault.
MOST_TEXT = 1024
#: The most epochs that a server may ask for in one round.
MOST_EPOCHS = 10_000

_TASK, _REPLIES = b"GMRT0001", b"GMRR0001"
_DIGEST = 32
_U32 = 2**32 - 1
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class RoundTask:
    """A server's task for the devices behind one node, in one round.

    Attributes:
        image_digest: The SHA-256 of the image that all devices have.
        round: The number of the round, 0 .. 2^32-1.
        base_digest: The SHA-256 of `Server.base`.
        checkpoint: `Server.checkpoint()`, which brings any device to the base.
        down: The delta that led here from the round before; empty in round 0. It brings devices to
            the base that are one round behind.
        bits: Of a number of each device's delta, 2, 4 or 8.
        shared: Patterns of the parameters to send; None for all.
        epochs: Passes over a device's own samples.
        seed: What the devices' orders of samples and their rounding are drawn from, 0 .. 2^32-1.
        devices: The names of those that take part; None for all.
        deadline_s: The seconds after which a device is too late; 0 for no limit.
    """

    image_digest: bytes
    round: int
    base_digest: bytes
    checkpoint: bytes
    down: bytes = b""
    bits: int = 4
    shared: tuple[str, ...] | None = None
    epochs: int = 1
    seed: int = 0
    devices: tuple[str, ...] | None = None
    deadline_s: float = 0.0

    def __post_init__(self) -> None:
        """Raise DataError where a field is impossible."""
        if len(self.image_digest) != _DIGEST or len(self.base_digest) != _DIGEST:
            raise DataError("a digest has not 32 bytes", "use SHA-256")
        if not 1 <= self.epochs <= MOST_EPOCHS:
            raise DataError(f"a round has no {self.epochs} epochs", f"ask for 1 to {MOST_EPOCHS}")
        for name in ("round", "seed"):
            _within(getattr(self, name), _U32, name)
        if not (math.isfinite(self.deadline_s) and self.deadline_s >= 0):
            raise DataError(f"a deadline of {self.deadline_s} seconds", "give 0 for none, or a positive number")
        check_bits(self.bits)
        for names in (self.shared or (), self.devices or ()):
            check_names(names)

    @property
    def key(self) -> bytes:
        """Return the SHA-256 of all that decides what a device computes: equal tasks have equal answers."""
        same = (
            self.image_digest,
            self.base_digest,
            struct.pack("<IIII", self.round, self.bits, self.epochs, self.seed),
        )
        return hashlib.sha256(b"".join(same) + _packed_names(self.shared)).digest()

    def seed_of(self, device: str) -> int:
        """Return the seed of a device's rounding in this round, 0 .. 2^32-1."""
        return self._drawn("rounding", device) & _U32

    def order_of(self, device: str) -> int:
        """Return the seed of the order of a device's samples in this round."""
        return self._drawn("order", device)

    def _drawn(self, purpose: str, device: str) -> int:
        text = f"{purpose}\n{self.seed}\n{self.round}\n{device}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:16], "little")

    def pack(self) -> bytes:
        """Return the task as bytes."""
        numbers = struct.pack("<IBIId", self.round, self.bits, self.epochs, self.seed, self.deadline_s)
        names = _packed_names(self.shared) + _packed_names(self.devices)
        return (
            _TASK + self.image_digest + self.base_digest + numbers + _sized(self.checkpoint) + _sized(self.down) + names
        )

    @classmethod
    def unpack(cls, data: bytes) -> RoundTask:
        """Return the task of these bytes. Raises DataError where they are none."""
        reader = _Reader(data, _TASK)
        image, base = reader.take(_DIGEST), reader.take(_DIGEST)
        number, bits, epochs, seed, deadline = reader.numbers("<IBIId")
        checkpoint, down, shared, devices = reader.sized(), reader.sized(), reader.names(), reader.names()
        reader.end()
        return cls(image, number, base, checkpoint, down, bits, shared, epochs, seed, devices, deadline)


@dataclass(frozen=True)
class DeviceReply:
    """The reply of one device. Each device that was asked has one, also where it failed.

    Attributes:
        device: Its name.
        delta: What it learnt; empty where it failed.
        examples: The number of its samples, 0 .. 2^20.
        loss: The mean over the steps of its last epoch; NaN where it failed.
        seconds: The time that it took.
        bytes_up: What it sent to the node.
        bytes_down: What the node sent to it, without its samples.
        fault: What went wrong, and what to do about it; empty where the delta is good.
    """

    device: str
    delta: bytes = b""
    examples: int = 0
    loss: float = math.nan
    seconds: float = 0.0
    bytes_up: int = 0
    bytes_down: int = 0
    fault: str = ""

    def __post_init__(self) -> None:
        """Raise DataError where a field is impossible."""
        check_names((self.device,))
        if bool(self.delta) == bool(self.fault):
            raise DataError(f"{self.device} has both a delta and a fault, or neither", "send one of them")
        if not self.fault and not math.isfinite(self.loss):
            raise DataError(f"{self.device} says a loss of {self.loss}", "a device whose loss is not finite failed")
        if not (math.isfinite(self.seconds) and self.seconds >= 0):
            raise DataError(f"{self.device} says it took {self.seconds} seconds", "say how long it took")
        _within(self.examples, MOST_EXAMPLES, "examples")
        for name in ("bytes_up", "bytes_down"):
            _within(getattr(self, name), 2**63 - 1, name)
        if len(self.fault.encode()) > MOST_TEXT:
            raise DataError(f"the fault of {self.device} has more than {MOST_TEXT} bytes", "shorten it")

    def pack(self) -> bytes:
        """Return the reply as bytes."""
        numbers = struct.pack("<IddQQ", self.examples, self.loss, self.seconds, self.bytes_up, self.bytes_down)
        return _sized(self.device.encode()) + _sized(self.delta) + numbers + _sized(self.fault.encode())

    @classmethod
    def unpack(cls, data: bytes) -> DeviceReply:
        """Return the reply of these bytes. Raises DataError where they are none."""
        reader = _Reader(data)
        device, delta = reader.text(), reader.sized()
        examples, loss, seconds, up, down = reader.numbers("<IddQQ")
        fault = reader.text()
        reader.end()
        return cls(device, delta, examples, loss, seconds, up, down, fault)


def pack_replies(replies: Iterable[DeviceReply]) -> bytes:
    """Return all rows of a node as bytes."""
    rows = [reply.pack() for reply in replies]
    return _REPLIES + struct.pack("<I", len(rows)) + b"".join(map(_sized, rows))


def unpack_replies(data: bytes) -> list[DeviceReply]:
    """Return the rows of these bytes. Raises DataError where they are none, or where one device has two."""
    reader = _Reader(data, _REPLIES)
    rows = reader.several(lambda: DeviceReply.unpack(reader.sized()))
    reader.end()
    check_names([row.device for row in rows])
    return rows


# ---- Fields -------------------------------------------------------------------------------------------------------


def _within(value: int, most: int, name: str) -> None:
    if not 0 <= value <= most:
        raise DataError(f"{name} is {value}", f"it goes from 0 to {most}")


def check_names(names: Sequence[str]) -> None:
    """Raise DataError where a name is empty, too long or not printable, or where one comes twice."""
    for name in names:
        if not name or not name.isprintable() or len(name.encode()) > MOST_TEXT:
            raise DataError(f"{name[:40]!r} is no name", f"use 1 to {MOST_TEXT} bytes of printable text")
    if len(set(names)) != len(names):
        raise DataError("a name comes twice", "give each device a name of its own")


def _sized(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data


def _packed_names(names: Sequence[str] | None) -> bytes:
    """Return names as bytes: the byte 0 for None; else the byte 1, their number, and each with its size."""
    if names is None:
        return b"\0"
    return b"\1" + struct.pack("<I", len(names)) + b"".join(_sized(name.encode()) for name in names)


class _Reader:
    """Bytes that are read from their beginning on. Each call raises DataError where they end too early."""

    def __init__(self, data: bytes, magic: bytes = b"") -> None:
        """Begin behind the magic bytes; raise DataError where others are there."""
        self.data, self.at = bytes(data), 0
        if self.take(len(magic)) != magic:
            raise DataError(
                "these bytes are of something else, or of another version", "update the older of both sides"
            )

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        found = self.data[self.at : self.at + size]
        if len(found) != size:
            raise DataError("the bytes end too early", "send them again")
        self.at += size
        return found

    def numbers(self, form: str) -> tuple[Any, ...]:
        """Return numbers of a form of `struct`."""
        return struct.unpack(form, self.take(struct.calcsize(form)))

    def sized(self) -> bytes:
        """Return bytes that have their size before them."""
        return self.take(self.numbers("<I")[0])

    def text(self) -> str:
        """Return text that has its size before it."""
        try:
            return self.sized().decode()
        except UnicodeDecodeError as error:
            raise DataError("a text is no UTF-8", "send it again") from error

    def several(self, read: Callable[[], _Item]) -> list[_Item]:
        """Return as many items as the number before them says; each takes at least four bytes."""
        count = self.numbers("<I")[0]
        if count > (len(self.data) - self.at) // 4:
            raise DataError(f"{count} items have no room in the bytes", "send them again")
        return [read() for _ in range(count)]

    def names(self) -> tuple[str, ...] | None:
        """Return names, or None."""
        kind = self.take(1)
        if kind not in (b"\0", b"\1"):
            raise DataError("a list of names begins with a wrong byte", "send it again")
        return tuple(self.several(self.text)) if kind == b"\1" else None

    def end(self) -> None:
        """Raise DataError where bytes are left."""
        if self.at != len(self.data):
            raise DataError(f"{len(self.data) - self.at} bytes too many", "send them again")
