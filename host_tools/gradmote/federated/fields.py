"""The fields of messages as bytes, which are hostile until each is checked."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..errors import DataError

#: The most bytes in a device's name, in a pattern of parameters, and in a sentence about a fault.
MOST_TEXT = 1024
#: The bytes of a SHA-256.
DIGEST = 32
_Item = TypeVar("_Item")


def require_within(value: int, most: int, name: str) -> None:
    """Raise DataError unless 0 <= value <= most."""
    if not 0 <= value <= most:
        raise DataError(f"{name} is {value}", f"it goes from 0 to {most}")


def check_names(names: Sequence[str]) -> None:
    """Raise DataError if a name is empty, too long or not printable, or appears twice."""
    for name in names:
        if not name or not name.isprintable() or len(name.encode()) > MOST_TEXT:
            raise DataError(f"{name[:40]!r} is not a valid name", f"use 1 to {MOST_TEXT} bytes of printable text")
    if len(set(names)) != len(names):
        raise DataError("a name comes twice", "give each device a name of its own")


def printable(text: str) -> str:
    """Return a text in one line, without characters that control a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def sized(data: bytes) -> bytes:
    """Return bytes preceded by their size, u32."""
    return struct.pack("<I", len(data)) + data


def packed_names(names: Sequence[str] | None) -> bytes:
    """Return names as bytes: 0 for None; otherwise 1, their number, and each name with its size."""
    if names is None:
        return b"\0"
    return b"\1" + struct.pack("<I", len(names)) + b"".join(sized(name.encode()) for name in names)


class Reader:
    """Reads bytes from their beginning. Each call raises DataError if they end too early."""

    def __init__(self, data: bytes, magic: bytes = b"") -> None:
        """Begin after the magic bytes; raise DataError if they are missing."""
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
        """Return the numbers of a `struct` format."""
        return struct.unpack(form, self.take(struct.calcsize(form)))

    def sized(self) -> bytes:
        """Return bytes that are preceded by their size."""
        return self.take(self.numbers("<I")[0])

    def text(self) -> str:
        """Return text that is preceded by its size."""
        return _decoded(self.sized())

    def rest(self) -> str:
        """Return all remaining bytes as text."""
        return _decoded(self.take(len(self.data) - self.at))

    def several(self, read: Callable[[], _Item]) -> list[_Item]:
        """Return as many items as the preceding number says; each takes at least four bytes."""
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
        """Raise DataError if bytes remain."""
        if self.at != len(self.data):
            raise DataError(f"{len(self.data) - self.at} bytes too many", "send them again")


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise DataError("a text is not UTF-8", "send it again") from error
