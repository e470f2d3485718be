"""The gaps between placed buffers in which another one fits."""

from __future__ import annotations

import numpy as np

from .lifetimes import Lifetime


def best_gap(need: int, placed: list[tuple[int, int]]) -> int:
    """Return the offset of the smallest gap that holds `need` bytes, or the end if none does.

    `placed` holds (offset, size) pairs, sorted by offset.
    """
    gaps, cursor = [], 0
    for start, size in placed:
        if start - cursor >= need:
            gaps.append((start - cursor, cursor))
        cursor = max(cursor, start + size)
    return min(gaps)[1] if gaps else cursor


class Shelf:
    """The placed buffers, in arrays sorted by offset and size.

    Its best_gap() returns the same as the function best_gap(), but compares a buffer with all others at once.
    """

    def __init__(self, capacity: int) -> None:
        """Start without buffers; `capacity` is the most that it can hold."""
        self.columns = np.empty((4, capacity), np.int64)  # offset, end, start of the lifetime, end of the lifetime
        self.count = 0

    def put(self, offset: int, size: int, span: Lifetime) -> None:
        """Add a buffer."""
        offsets, ends, _, _ = self.columns[:, : self.count]
        first, last = np.searchsorted(offsets, (offset, offset + 1))
        at = first + np.searchsorted(ends[first:last], offset + size)
        self.columns[:, at + 1 : self.count + 1] = self.columns[:, at : self.count]
        self.columns[:, at] = offset, offset + size, span.start, span.end
        self.count += 1

    def best_gap(self, need: int, span: Lifetime) -> int:
        """Return the offset of the smallest gap of `need` bytes between buffers live with this one, or their end."""
        offsets, ends, starts, lasts = self.columns[:, : self.count]
        beside = (starts < span.end) & (lasts > span.start)
        cursors = np.maximum.accumulate(np.concatenate(([0], ends[beside])))
        gaps = offsets[beside] - cursors[:-1]
        fits = np.flatnonzero(gaps >= need)
        return int(cursors[-1] if len(fits) == 0 else cursors[fits[np.argmin(gaps[fits])]])
