"""The part of a checkpoint that is a device's own after a round of federated learning.

The end of a round replaces the shared parameters with those of the next base. A device keeps the rest of its state:
moments, counters, statistics, properties, samples and personal parameters.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import CheckpointError
from ..generated.records import NONE, STATE_ROLE
from . import records
from .checkpoint import as_plain, checked_header, parts_of
from .rounds import is_shared

#: The offset of the CRC in a header, and of the fields that describe the state: model, numbers of bytes, encoding.
_CRC, _KIND = 12, 16


@dataclass(frozen=True)
class OwnState:
    """A checkpoint of a base, and the places in it that are a device's own.

    Attributes:
        base: The checkpoint, plain.
        places: First byte and byte after the last of each part, one after the other.
    """

    base: bytes
    places: tuple[int, ...]

    @classmethod
    def of(cls, base: bytes, shared: Sequence[str] | None) -> OwnState:
        """Find the places. shared: patterns of the parameters that devices share; None for all.

        Raises CheckpointError if the base is not a checkpoint.
        """
        base = as_plain(base)
        try:
            table, names, state = parts_of(checked_header(base), base)
            taken = sorted(_spans(table, names, len(base) - len(state), shared))
        except ValueError as error:
            raise CheckpointError(f"a record cannot be read ({error})", "transfer the file again") from error
        ends = [len(base) - len(state), *(number for span in taken for number in span), len(base)]
        kept = [span for span in zip(ends[::2], ends[1::2]) if span[0] < span[1]]
        return cls(base, tuple(number for span in kept for number in span))

    def part_of(self, checkpoint: bytes) -> bytes:
        """Return a device's own part of its checkpoint; nothing if that is of another model than the base."""
        kind = slice(_KIND, records.size_of("checkpoint"))
        if len(checkpoint) != len(self.base) or checkpoint[kind] != self.base[kind]:
            return b""
        return b"".join(checkpoint[start:end] for start, end in zip(self.places[::2], self.places[1::2]))

    def whole(self, part: bytes) -> bytes:
        """Return the checkpoint of a device with that own part, and all else as in the base."""
        file, at = bytearray(self.base), 0
        for start, end in zip(self.places[::2], self.places[1::2]):
            file[start:end] = part[at : at + end - start]
            at += end - start
        file[_CRC:_KIND] = struct.pack("<I", zlib.crc32(file[_KIND:]))
        return bytes(file)


def _spans(table: Sequence[dict], names: bytes, start: int, shared: Sequence[str] | None) -> list[tuple[int, int]]:
    """Return the bytes of each shared parameter in the file, whose state starts at `start`."""
    found = []
    for row in table:
        name = "" if row["name"] == NONE else records.text_at(names, row["name"])
        if row["role"] == STATE_ROLE["parameter"] and (shared is None or is_shared(name, shared)):
            found.append((start + row["offset"], start + row["offset"] + row["size"]))
    return found
