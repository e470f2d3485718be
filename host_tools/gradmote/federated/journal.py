"""A file from which a killed server continues: how the round began, and what has arrived since.

The file has eight bytes that name its kind, then records. The first record is the round's beginning; a new
round replaces the whole file at once.

A record has its body's size, u32, and CRC-32, u32, then its body. A killed process leaves at most one
incomplete record at the end. Readers ignore that record and everything after it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import DataError
from ..formats.files import AppendedFile, write_atomically

_HEAD = struct.Struct("<II")


def packed(body: bytes) -> bytes:
    """Return the bytes of a record. The body must not be empty."""
    return _HEAD.pack(len(body), zlib.crc32(body)) + body


def records(data: bytes, at: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield (its end, body) of each complete record from `at` on, up to the first incomplete one."""
    while len(data) - at >= _HEAD.size:
        size, crc = _HEAD.unpack_from(data, at)
        body = data[at + _HEAD.size : at + _HEAD.size + size]
        if not body or len(body) < size or zlib.crc32(body) != crc:
            return
        at += _HEAD.size + size
        yield at, body


_MAGIC = b"GMJL0001"


class Journal:
    """The journal of one federation. Its records are bytes, in the order in which they were appended."""

    def __init__(self, path: Path) -> None:
        """Set the path of the file, which need not exist yet."""
        self.path = path
        self._file: AppendedFile | None = None

    def read(self) -> list[bytes]:
        """Return all complete records, and cut off what follows them; none if there is no file.

        Raises DataError if the file is not a journal, or its first record is incomplete, so that the
        beginning of the round is lost.
        """
        if not self.path.exists():
            return []
        data = self.path.read_bytes()
        if data[: len(_MAGIC)] != _MAGIC:
            raise DataError(
                f"{self.path} is not a journal of a federation", "name another folder, or move the file away"
            )
        found = list(records(data, len(_MAGIC)))
        if not found:
            raise DataError(f"the first record of {self.path} is damaged", "begin again: move the file away")
        self._open().truncate(found[-1][0])
        return [body for _, body in found]

    def begin(self, record: bytes) -> None:
        """Replace the whole file with one that contains only this record."""
        self.close()
        write_atomically(self.path, _MAGIC + packed(record))

    def append(self, bodies: Iterable[bytes]) -> None:
        """Append records, and return when they are on disk."""
        self._open().append(b"".join(map(packed, bodies)))

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        if self._file is not None:
            self._file.close()
        self._file = None

    def _open(self) -> AppendedFile:
        self._file = self._file or AppendedFile(self.path)
        return self._file
