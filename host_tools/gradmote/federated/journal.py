"""A file from which a server goes on after it was killed: where a round began, and what has come in since.

The file has the records of journal_records.py behind eight bytes that name its kind. The first record is the
round's beginning; a new round replaces the whole file at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..errors import DataError
from ..formats.files import AppendedFile, write_atomically
from .journal_records import packed, records

_MAGIC = b"GMJL0001"


class Journal:
    """The journal of one federation. Its records are bytes, in the order in which they were appended."""

    def __init__(self, path: Path) -> None:
        """Name the file; it need not be there yet."""
        self.path = path
        self._file: AppendedFile | None = None

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
        found = list(records(data, len(_MAGIC)))
        if not found:
            raise DataError(f"the first record of {self.path} is damaged", "begin again: move the file away")
        self._open().truncate(found[-1][0])
        return [body for _, body in found]

    def begin(self, record: bytes) -> None:
        """Replace the file, as a whole, by one with this record alone."""
        self.close()
        write_atomically(self.path, _MAGIC + packed(record))

    def append(self, bodies: Iterable[bytes]) -> None:
        """Append records, and return when they are on the disk."""
        self._open().append(b"".join(map(packed, bodies)))

    def close(self) -> None:
        """Close the file, which the next call opens again."""
        if self._file is not None:
            self._file.close()
        self._file = None

    def _open(self) -> AppendedFile:
        self._file = self._file or AppendedFile(self.path)
        return self._file
