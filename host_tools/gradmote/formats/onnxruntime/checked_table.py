"""Tables of an unverified flatbuffer, read by the library flatbuffers.

The library trusts its bytes. This module checks each offset before following it, and bounds the work:
tables, texts and data may not be more in all than the bytes of the file could hold, so that repeated
references to one place end in an error.
"""

from __future__ import annotations

import struct

from flatbuffers import number_types as types
from flatbuffers.table import Table

_VTABLE_HEADER = 4  # bytes of a vtable before its first field
_TEXT_LIMIT = 4096


class Allowance:
    """The number of bytes that may still be read of one file."""

    def __init__(self, size: int) -> None:
        """Allow the file twice, because a writer may share equal parts."""
        self.left = 2 * size

    def spend(self, size: int) -> None:
        """Take bytes from the remaining ones.

        Raises ValueError if none remain.
        """
        self.left -= size
        if self.left < 0:
            raise ValueError("its tables refer to more bytes than the file has")


class CheckedTable:
    """One table. A field that it does not have reads as its default.

    Every method raises ValueError or struct.error for bytes that contradict each other.
    """

    def __init__(self, data: bytes, position: int, allowance: Allowance) -> None:
        """Refer to the table at a position, after checking its vtable."""
        allowance.spend(8)  # each table has at least an offset to it, and one to its vtable
        self._data, self._allowance = data, allowance
        self._table = Table(data, position)
        vtable = position - self._table.Get(types.SOffsetTFlags, position)
        if vtable < 0 or vtable + _VTABLE_HEADER > len(data):
            raise ValueError(f"the table at byte {position} has its fields at byte {vtable}")
        if vtable + self._table.Get(types.VOffsetTFlags, vtable) > len(data):
            raise ValueError(f"the fields of the table at byte {position} end past the file")

    def number(self, slot: int, flags: type, default: float = 0) -> int | float:
        """Return a number of the library's type `flags`."""
        at = self._field(slot)
        return default if at is None else self._table.Get(flags, at)

    def text(self, slot: int) -> str:
        """Return a text, "" by default."""
        at = self._field(slot)
        if at is None:
            return ""
        start, count = self._vector(at, 1)
        if count > _TEXT_LIMIT:
            raise ValueError(f"a text has {count} bytes")
        self._allowance.spend(count)
        return self._data[start : start + count].decode()

    def data(self, slot: int) -> bytes:
        """Return a vector of bytes, empty by default."""
        at = self._field(slot)
        if at is None:
            return b""
        start, count = self._vector(at, 1)
        self._allowance.spend(count)
        return self._data[start : start + count]

    def int64s(self, slot: int) -> list[int]:
        """Return a vector of 64-bit integers, empty by default."""
        at = self._field(slot)
        if at is None:
            return []
        start, count = self._vector(at, 8)
        self._allowance.spend(8 * count)
        return list(struct.unpack_from(f"<{count}q", self._data, start))

    def table(self, slot: int) -> CheckedTable | None:
        """Return the table that a field refers to, or None."""
        at = self._field(slot)
        return None if at is None else CheckedTable(self._data, self._target(at), self._allowance)

    def tables(self, slot: int) -> list[CheckedTable]:
        """Return a vector of tables, empty by default."""
        at = self._field(slot)
        if at is None:
            return []
        start, count = self._vector(at, 4)
        return [CheckedTable(self._data, self._target(start + 4 * i), self._allowance) for i in range(count)]

    def _field(self, slot: int) -> int | None:
        """Return the position of a field, or None if the table does not have it."""
        offset = self._table.Offset(_VTABLE_HEADER + 2 * slot)
        return self._table.Pos + offset if offset else None

    def _target(self, at: int) -> int:
        """Return the position that the offset at `at` leads to."""
        return at + int(self._table.Get(types.UOffsetTFlags, at))

    def _vector(self, at: int, size: int) -> tuple[int, int]:
        """Return the position of a vector's first element, and their number; `size` is the bytes of one."""
        length_at = self._target(at)
        count = int(self._table.Get(types.UOffsetTFlags, length_at))
        if length_at + 4 + size * count > len(self._data):
            raise ValueError(f"the vector at byte {length_at} has {count} elements and ends past the file")
        return length_at + 4, count


def root_table(data: bytes) -> CheckedTable:
    """Return the table at the start of the file."""
    return CheckedTable(data, struct.unpack_from("<I", data)[0], Allowance(len(data)))
