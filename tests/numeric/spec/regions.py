"""Runs of bytes in a file, an arena or the constants."""

from __future__ import annotations

from .read_image import Record
from .read_tables import size_of

#: Bytes of the largest image and of the largest arena.
LIMIT = 1 << 30


def lies_in(offset: int, size: int, begin: int, end: int) -> bool:
    """Return whether the bytes start at a multiple of 4 and are between begin and end."""
    return offset % 4 == 0 and begin <= offset and offset + size <= end


def overlap(a: int, a_size: int, b: int, b_size: int) -> bool:
    """Return whether two runs of bytes share one."""
    return a_size > 0 and b_size > 0 and a < b + b_size and b < a + a_size


def store_size(store: Record) -> int:
    """Return the bytes of the sample store in the state. Its dtype is known."""
    data = 4 * store.elements if store.dtype_name == "F32" else (store.elements + 3) // 4 * 4
    sample = 4 + data + (4 if store.dtype_name == "INT8" else 0)
    return 4 + size_of("store_class") * store.classes + sample * store.capacity
