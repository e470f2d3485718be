"""A file from which a killed server continues: how the round began, and what has arrived since.

The file has eight bytes that name its kind, then the records of journal_records.py. The first record is the
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
