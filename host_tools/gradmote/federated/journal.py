"""A file from which a server goes on after it was killed: where a round began, and what has come in since.

Records are appended and brought to the disk one after the other. The first one is the round's
beginning; a new round replaces the whole file at once. A record that was cut off, and what lies
behind it, is as if it had never come.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import DataError
from ..formats.files import write_atomically

_MAGIC = b"GMJL0001"
_RECORD = struct.Struct("<II")  # size and CRC-32 of what follows


class Journal:
    """The journal of one federation. Its records are bytes, in the order in which they were appended."""

    def __init__(self, path: Path) -> None:
        """Name the file; it need not be there yet."""
        self.path = path

    def read(self) -> list[bytes]:
        """Return all whole records, and cut off what lies behind them; none where there is no file.

        Raises DataError where the file is no journal, or its first record is not whole, so that the
        beginning of the round is lost.
        """
        if not self.path.exists():
            return []
        data = self.path.read_bytes()
        if data[: len(_MAGIC)] != _MAGIC:
            raise DataError(f"{self.path} is no journal of a federation", "name another folder, or move the file away")
        found = list(_records(data))
        if not found:
            raise DataError(f"the first record of {self.path} is damaged", "begin again: move the file away")
        whole = len(_MAGIC) + sum(_RECORD.size + len(record) for record in found)
        if whole < len(data):
            self._cut(whole)
        return found

    def begin(self, record: bytes) -> None:
        """Replace the file, as a whole, by one with this record alone."""
        write_atomically(self.path, _MAGIC + _packed(record))

    def append(self, records: Iterable[bytes]) -> None:
        """Append records, and return when they are on the disk."""
        data = b"".join(map(_packed, records))
        with self.path.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def _cut(self, size: int) -> None:
        with self.path.open("r+b") as file:
            file.truncate(size)
            os.fsync(file.fileno())


def _packed(record: bytes) -> bytes:
    return _RECORD.pack(len(record), zlib.crc32(record)) + record


def _records(data: bytes) -> Iterator[bytes]:
    """Yield records up to the first one that is not whole."""
    at = len(_MAGIC)
    while at + _RECORD.size <= len(data):
        size, crc = _RECORD.unpack_from(data, at)
        record = data[at + _RECORD.size : at + _RECORD.size + size]
        if len(record) != size or zlib.crc32(record) != crc:
            return
        yield record
        at += _RECORD.size + size
