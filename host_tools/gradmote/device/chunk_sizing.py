"""How much goes into one frame on a line that damages some, and when to give up."""

from __future__ import annotations

_SMALLEST = 32  # bytes; with both frames around it, twice that
_UNIT = 4

#: A line that is heard, but damages everything, is given so many times the attempts of a silent one.
_PATIENCE_WITH_NOISE = 6


class ChunkSizer:
    """Pieces of half the size after each loss, of a quarter more after each success.

    This settles where one piece in four gets lost, which is near the best for what a loss costs: a time-out, however
    long the piece was. attempts: how often in a row nothing may come back.
    """

    def __init__(self, attempts: int) -> None:
        self._attempts = attempts
        self._size: float = 1 << 16
        self._losses = 0  # in a row
        self._silences = 0  # in a row

    def size(self, limit: int) -> int:
        """Bytes of the next piece: a multiple of 4 of at most `limit`."""
        self._size = min(self._size, limit)
        return int(self._size) // _UNIT * _UNIT

    def adapt(self, arrived: bool) -> None:
        """A piece was answered, or got lost."""
        self._size = self._size * 1.25 if arrived else max(self._size / 2, _SMALLEST)

    def gives_up(self, answered: bool, damaged: bool) -> bool:
        """True once too many requests in a row got no answer. damaged: something came in its place."""
        self._losses = 0 if answered else self._losses + 1
        self._silences = 0 if answered or damaged else self._silences + 1
        return self._silences >= self._attempts or self._losses >= self._attempts * _PATIENCE_WITH_NOISE
