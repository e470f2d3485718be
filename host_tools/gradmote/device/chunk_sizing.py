"""The size of a frame's data on a line that corrupts some frames, and when to give up."""

from __future__ import annotations

#: The smallest chunk in bytes; the frames of request and reply add as much again.
_SMALLEST = 32
_UNIT = 4  # bytes

#: A line that delivers only corrupted bytes gets this many times the attempts of a silent one.
_PATIENCE_WITH_NOISE = 6


class ChunkSizer:
    """An adaptive chunk size: halved after each loss, a quarter larger after each success.

    This settles at the size at which one chunk in four is lost. That is near the optimum, because a
    loss costs one time-out, however long the chunk was.

    Args:
        attempts: How many requests in a row may remain unanswered.
    """

    def __init__(self, attempts: int) -> None:
        """Begin with the largest chunks."""
        self._attempts = attempts
        self._size: float = 1 << 16
        self._losses = 0  # in a row
        self._silences = 0  # in a row

    def size(self, limit: int) -> int:
        """Return the bytes of the next chunk: a multiple of 4 of at most `limit`."""
        self._size = min(self._size, limit)
        return int(self._size) // _UNIT * _UNIT

    def adapt(self, arrived: bool) -> None:
        """Adjust the size after a chunk: `arrived` says whether the board answered it."""
        self._size = self._size * 1.25 if arrived else max(self._size / 2, _SMALLEST)

    def gives_up(self, answered: bool, damaged: bool) -> bool:
        """Count a request, and return whether too many in a row remained unanswered.

        damaged: whether corrupted bytes arrived instead of the answer. A line that delivers some gets
        more attempts than a silent one.
        """
        self._losses = 0 if answered else self._losses + 1
        self._silences = 0 if answered or damaged else self._silences + 1
        return self._silences >= self._attempts or self._losses >= self._attempts * _PATIENCE_WITH_NOISE
