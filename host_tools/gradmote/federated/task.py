"""The task that a server gives to devices in a round.

It travels over networks as bytes (`pack()`, `unpack()`), which are hostile until each field is checked.
"""

from __future__ import annotations

import hashlib
import math
import struct
from dataclasses import dataclass

from ..errors import DataError
from ..formats.rounds import check_bits
from .fields import DIGEST, Reader, check_names, packed_names, require_within, sized

#: The most epochs that a server may ask for in one round.
MOST_EPOCHS = 10_000

_TASK = b"GMRT0002"
_U32 = 2**32 - 1


@dataclass(frozen=True)
class RoundTask:
    """A server's task for the devices of one node, in one round.

    Attributes:
        image_digest: The SHA-256 of the image that all devices have.
        round: The number of the round, 0 .. 2^32-1.
        base_digest: The SHA-256 of `Server.base`.
        checkpoint: `Server.checkpoint()`, which brings any device to the base.
        down: The delta that led here from the previous round; empty in round 0. It brings devices that are
            still in that round to the base.
        bits: The bits of a number in each device's delta, 2, 4 or 8.
        shared: Patterns of the parameters to send; None for all.
        epochs: Passes over a device's own samples.
        seed: The seed of the devices' orders of samples and of their rounding, 0 .. 2^32-1.
        devices: The names of the devices that take part; None for all.
        deadline_s: The seconds after which a device is too late; 0 for no limit.
        sums: Whether gateways keep the deltas of their devices, reply with summaries, and later supply
            their sum.
    """

    image_digest: bytes
    round: int
    base_digest: bytes
    checkpoint: bytes
    down: bytes = b""
    bits: int = 4
    shared: tuple[str, ...] | None = None
    epochs: int = 1
    seed: int = 0
    devices: tuple[str, ...] | None = None
    deadline_s: float = 0.0
    sums: bool = False

    def __post_init__(self) -> None:
        """Raise DataError if a field is impossible."""
        if len(self.image_digest) != DIGEST or len(self.base_digest) != DIGEST:
            raise DataError("a digest is not 32 bytes long", "use SHA-256")
        if not 1 <= self.epochs <= MOST_EPOCHS:
            raise DataError(f"a round cannot have {self.epochs} epochs", f"ask for 1 to {MOST_EPOCHS}")
        for name in ("round", "seed"):
            require_within(getattr(self, name), _U32, name)
        if not (math.isfinite(self.deadline_s) and self.deadline_s >= 0):
            raise DataError(f"a deadline of {self.deadline_s} seconds", "give 0 for none, or a positive number")
        check_bits(self.bits)
        for names in (self.shared or (), self.devices or ()):
            check_names(names)

    @property
    def key(self) -> bytes:
        """Return the SHA-256 of everything that determines a device's result: equal tasks have equal answers."""
        same = (
            self.image_digest,
            self.base_digest,
            struct.pack("<IIII", self.round, self.bits, self.epochs, self.seed),
        )
        return hashlib.sha256(b"".join(same) + packed_names(self.shared)).digest()

    def seed_of(self, device: str) -> int:
        """Return the seed of a device's rounding in this round, 0 .. 2^32-1."""
        return self._drawn("rounding", device) & _U32

    def order_of(self, device: str) -> int:
        """Return the seed of the order of a device's samples in this round."""
        return self._drawn("order", device)

    def _drawn(self, purpose: str, device: str) -> int:
        text = f"{purpose}\n{self.seed}\n{self.round}\n{device}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:16], "little")

    def pack(self) -> bytes:
        """Return the task as bytes."""
        numbers = struct.pack("<IBIId?", self.round, self.bits, self.epochs, self.seed, self.deadline_s, self.sums)
        names = packed_names(self.shared) + packed_names(self.devices)
        return (
            _TASK + self.image_digest + self.base_digest + numbers + sized(self.checkpoint) + sized(self.down) + names
        )

    @classmethod
    def unpack(cls, data: bytes) -> RoundTask:
        """Return the task in these bytes. Raises DataError if they are not one."""
        reader = Reader(data, _TASK)
        image, base = reader.take(DIGEST), reader.take(DIGEST)
        number, bits, epochs, seed, deadline, sums = reader.numbers("<IBIIdB")
        checkpoint, down, shared, devices = reader.sized(), reader.sized(), reader.names(), reader.names()
        reader.end()
        require_within(sums, 1, "sums")
        return cls(image, number, base, checkpoint, down, bits, shared, epochs, seed, devices, deadline, bool(sums))
