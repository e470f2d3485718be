"""Exact sums of deltas, independent of the order in which the deltas arrive."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence

import numpy as np

from ..errors import DataError
from ..formats.delta import BIAS, Delta, read_delta
from .fields import Reader

#: The largest sum of weights: with codes up to 127, each sum is an integer that a float64 can represent.
MOST_WEIGHT = 2**46
#: A shortened delta weighs less, in steps of 1 / EXAMPLE_PARTS of an example.
EXAMPLE_PARTS = 2**16
#: The largest magnitude of a code.
MOST_CODE = 128
#: How many deltas to unpack at a time; the others stay as the bytes received.
AT_ONCE = 64
#: The types of sums in a file; each uses the narrowest that holds all of a parameter's sums of one exponent.
_TYPES = tuple(np.dtype(name) for name in ("<i1", "<i2", "<i4", "<i8"))
_SUM = b"GMSU0001"


class DeltaSum:
    """The sum of deltas times their weights: for each parameter, integers for each exponent.

    Integers have the same sum in any order, so a gateway may add up its own devices, and `merge()` adds
    up the sums of gateways. elements: the number of elements of each parameter.
    """

    def __init__(self, elements: Sequence[int]) -> None:
        """Begin with an empty sum."""
        self.elements = tuple(elements)
        #: For each parameter: the sum of the weights of all deltas that contain it.
        self.weights = [0] * len(self.elements)
        #: For each parameter: exponent -> sums of weight times code, int64.
        self.sums: list[dict[int, np.ndarray]] = [{} for _ in self.elements]

    def add(self, delta: Delta, weight: int) -> None:
        """Add a delta. weight: 1 or more. Raises DataError if all weights together exceed 2^46."""
        for index, (exponent, codes) in enumerate(zip(delta.exponents, delta.codes)):
            if exponent:
                self._add(index, weight, {exponent: codes.astype(np.int64) * weight})

    def add_all(self, deltas: Sequence[Delta], weights: Sequence[int]) -> None:
        """Add many deltas at once, which is faster. weights: of each delta, 1 or more, at most 2^46 in total.

        A float64 represents each partial sum exactly: it is an integer up to 2^46 * 128.
        """
        for index in range(len(self.elements)):
            rows: dict[int, list[int]] = {}
            for row, delta in enumerate(deltas):
                rows.setdefault(delta.exponents[index], []).append(row)
            for exponent, having in rows.items():
                if exponent:
                    codes = np.stack([deltas[row].codes[index] for row in having]).astype(np.float64)
                    total = np.array([weights[row] for row in having], np.float64) @ codes
                    self._add(index, sum(weights[row] for row in having), {exponent: total.astype(np.int64)})

    def add_files(self, deltas: Sequence[bytes], weights: Sequence[int]) -> None:
        """Add deltas as received, after each was checked. weights: as in add_all()."""
        for at in range(0, len(deltas), AT_ONCE):
            group = [read_delta(data, self.elements) for data in deltas[at : at + AT_ONCE]]
            self.add_all(group, weights[at : at + AT_ONCE])

    def merge(self, other: DeltaSum) -> None:
        """Add another sum. Raises DataError if all weights together exceed 2^46."""
        for index, (weight, sums) in enumerate(zip(other.weights, other.sums)):
            self._add(index, weight, sums)

    def _add(self, index: int, weight: int, sums: dict[int, np.ndarray]) -> None:
        if weight < 0 or self.weights[index] + weight > MOST_WEIGHT:
            raise DataError(f"a weight of {weight} has no exact sum", f"let all weights come to {MOST_WEIGHT} at most")
        own = self.sums[index]
        self.weights[index] += weight
        own.update({exponent: own[exponent] + part if exponent in own else part for exponent, part in sums.items()})

    def mean(self, index: int) -> np.ndarray:
        """Return the weighted mean of one parameter, float64, flat; zeros if no delta contains it.

        The float64 additions go from the smallest exponent to the largest, so that the result is unique.
        """
        return self._total(index) / max(self.weights[index], 1)

    def _total(self, index: int) -> np.ndarray:
        """Return the sum of one parameter, float64."""
        total = np.zeros(self.elements[index])
        for exponent, sums in sorted(self.sums[index].items()):
            total += np.ldexp(sums.astype(np.float64), exponent - BIAS)
        return total

    def norm(self) -> float:
        """Return the Euclidean norm of the sum, not divided by the weights."""
        squares = [float(total @ total) for total in map(self._total, range(len(self.elements)))]
        return math.sqrt(math.fsum(squares))

    # ---- As bytes

    def pack(self) -> bytes:
        """Return the sum as bytes: all of its integers, each in one to eight bytes, compressed."""
        parts = [self._packed(index) for index in range(len(self.elements))]
        return _SUM + zlib.compress(b"".join(parts), 6)

    def _packed(self, index: int) -> bytes:
        """Return one parameter: its weight u64, the number of exponents u8, then each exponent, type and sums."""
        parts = [struct.pack("<QB", self.weights[index], len(self.sums[index]))]
        for exponent, sums in sorted(self.sums[index].items()):
            number = next(n for n, kind in enumerate(_TYPES) if _fits(sums, kind))
            parts.append(struct.pack("<BB", exponent, number) + sums.astype(_TYPES[number]).tobytes())
        return b"".join(parts)

    @classmethod
    def unpack(cls, data: bytes, elements: Sequence[int]) -> DeltaSum:
        """Return the sum from its bytes. elements: the number of elements of each parameter.

        Raises DataError if they are not a sum, are damaged or for another model, or no deltas can have these sums.
        """
        found = cls(elements)
        reader = Reader(_decompressed(data, 8 * 255 * (sum(elements) + 2 * len(elements))))
        for index in range(len(found.elements)):
            weight, count = reader.numbers("<QB")
            sums = dict(_unpacked(reader, found.elements[index], weight) for _ in range(count))
            if len(sums) != count or bool(weight) != bool(count):
                raise DataError("a sum has one exponent twice, or a weight of 0", "ask for it again")
            found._add(index, weight, sums)
        reader.end()
        return found


def _fits(sums: np.ndarray, kind: np.dtype) -> bool:
    """Return whether a type can represent all these integers."""
    limits = np.iinfo(kind)
    return not sums.size or bool(limits.min <= sums.min() and sums.max() <= limits.max)


def _unpacked(reader: Reader, n: int, weight: int) -> tuple[int, np.ndarray]:
    """Return an exponent and its n sums. Raises DataError if codes of that total weight cannot produce them."""
    exponent, number = reader.numbers("<BB")
    if not exponent or number >= len(_TYPES):
        raise DataError(f"a sum with the exponent {exponent}, of type {number}", "ask for it again")
    kind = _TYPES[number]
    sums = np.frombuffer(reader.take(n * kind.itemsize), kind).astype(np.int64)
    if weight > MOST_WEIGHT or not _within(sums, weight * MOST_CODE):
        raise DataError(f"deltas that weigh {weight} have no such sum", "ask for it again")
    return exponent, sums


def _within(sums: np.ndarray, most: int) -> bool:
    return not sums.size or bool(-most <= sums.min() and sums.max() <= most)


def _decompressed(data: bytes, most: int) -> bytes:
    """Return a sum's bytes after its magic. Raises DataError if they are not a sum, or longer than `most`."""
    if data[: len(_SUM)] != _SUM:
        raise DataError("these bytes are not a sum of deltas of this version", "update the older of both sides")
    stream = zlib.decompressobj()
    try:
        found = stream.decompress(data[len(_SUM) :], most + 1)
    except zlib.error as error:
        raise DataError(f"a sum of deltas is damaged ({error})", "ask for it again") from error
    if len(found) > most or not stream.eof or stream.unused_data:
        raise DataError("a sum of deltas is longer or shorter than that of any deltas", "ask for it again")
    return found
