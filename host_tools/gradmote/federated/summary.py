"""The messages between a server and a gateway that keeps its devices' deltas, and sends one sum of them.

A server that has the norms of all deltas can compute the weight of each. Each gateway then adds up its own deltas
with these weights (`SumRequest`), and sends the server one sum (`DeltaSum.pack()`).
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import DataError
from ..formats.delta import read_delta
from .delta_sum import MOST_WEIGHT
from .fields import DIGEST, Reader, check_names, require_within, sized
from .task import RoundTask

_SUMMARY, _REQUEST = b"GMDS0001", b"GMRS0001"
_U32 = 2**32 - 1


@dataclass(frozen=True)
class DeltaSummary:
    """The figures of a delta that stays on its gateway.

    Attributes:
        round: The number of its base.
        base_digest: The SHA-256 of its base.
        digest: The SHA-256 of its bytes.
        norm: Its Euclidean norm.
    """

    round: int
    base_digest: bytes
    digest: bytes
    norm: float

    def __post_init__(self) -> None:
        """Raise DataError if a field is impossible."""
        require_within(self.round, _U32, "round")
        if not (math.isfinite(self.norm) and self.norm >= 0):
            raise DataError(f"a delta with a norm of {self.norm}", "its gateway checks that it is finite")

    @classmethod
    def of(cls, delta: bytes, elements: Sequence[int], task: RoundTask) -> DeltaSummary:
        """Return the summary of a checked delta. elements: the number of elements of each parameter."""
        return cls(task.round, task.base_digest, hashlib.sha256(delta).digest(), read_delta(delta, elements).norm)

    def pack(self) -> bytes:
        """Return the summary as bytes; no delta begins with the same ones."""
        return _SUMMARY + struct.pack("<I", self.round) + self.base_digest + self.digest + struct.pack("<d", self.norm)

    @classmethod
    def unpack(cls, data: bytes) -> DeltaSummary:
        """Return the summary in these bytes. Raises DataError if they are not one."""
        reader = Reader(data, _SUMMARY)
        (number,) = reader.numbers("<I")
        base, digest = reader.take(DIGEST), reader.take(DIGEST)
        (norm,) = reader.numbers("<d")
        reader.end()
        return cls(number, base, digest, norm)


def is_summary(data: bytes) -> bool:
    """Return whether these bytes are a summary instead of a delta."""
    return data[: len(_SUMMARY)] == _SUMMARY


@dataclass(frozen=True)
class SumRequest:
    """The request to add up deltas that a gateway keeps.

    Attributes:
        key: RoundTask.key of the deltas' task.
        weights: The weight of each device's delta, 1 .. 2^46.
    """

    key: bytes
    weights: Mapping[str, int]

    def __post_init__(self) -> None:
        """Raise DataError if a field is impossible."""
        if len(self.key) != DIGEST:
            raise DataError("the key of a task is not 32 bytes long", "take RoundTask.key")
        check_names(list(self.weights))
        if not self.weights or not all(1 <= weight <= MOST_WEIGHT for weight in self.weights.values()):
            raise DataError("a sum of no device, or with an impossible weight", f"a delta weighs 1 to {MOST_WEIGHT}")

    def pack(self) -> bytes:
        """Return the request as bytes."""
        rows = [struct.pack("<Q", weight) + name.encode() for name, weight in sorted(self.weights.items())]
        return _REQUEST + self.key + struct.pack("<I", len(rows)) + b"".join(map(sized, rows))

    @classmethod
    def unpack(cls, data: bytes) -> SumRequest:
        """Return the request in these bytes. Raises DataError if they are not one."""
        reader = Reader(data, _REQUEST)
        key, rows = reader.take(DIGEST), reader.several(lambda: _weighted(reader.sized()))
        reader.end()
        check_names([name for name, _ in rows])
        return cls(key, dict(rows))


def _weighted(row: bytes) -> tuple[str, int]:
    """Return the name and weight in a row of a request."""
    reader = Reader(row)
    (weight,) = reader.numbers("<Q")
    return reader.rest(), weight
