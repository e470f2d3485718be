"""The reader of the deltas that federated learning sends (docs/SPEC.md, "Delta")."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..errors import DataError
from ..generated.records import DELTA_MAGIC, DELTA_VERSION
from . import records
from .rounds import check_bits

#: A number is code 2^(exponent - BIAS).
BIAS = 150
_RESEND = "send the delta again"


@dataclass(frozen=True)
class Delta:
    """The contents of a delta.

    round: the number of the base that it is the difference from. base_crc: the CRC-32 of that base's elements.
    bits: of each code. exponents: one for each parameter, in the order of the image's state table; 0 for parameters
    that the delta does not have. codes: the integers of each parameter, int8; empty if its exponent is 0.
    """

    model_id: bytes
    round: int
    base_crc: int
    bits: int
    seed: int
    exponents: tuple[int, ...]
    codes: tuple[np.ndarray, ...]

    @property
    def norm(self) -> float:
        """Return the Euclidean norm of all numbers."""
        wide = (codes.astype(np.float64) for codes in self.codes)  # the sum of squares is exact up to 2^39 of them
        squares = (
            math.ldexp(float(codes @ codes), 2 * (exponent - BIAS)) for exponent, codes in zip(self.exponents, wide)
        )
        return math.sqrt(math.fsum(squares))


def read_delta(data: bytes, elements: Sequence[int]) -> Delta:
    """Return the contents of a delta.

    elements: how many each parameter of the image has. Raises DataError if the bytes are not a delta, are
    damaged, or have another size than a delta of these parameters. The runtime decides whether it belongs
    to a round of an image.
    """
    header = checked_header(data)
    table = records.size_of("delta_header")
    exponents = tuple(data[table : table + len(elements)])
    at, bits, codes = table + -(-len(elements) // 4) * 4, header["bits"], []
    for n, exponent in zip(elements, exponents):
        size = -(-n // digits_of(bits)) if exponent else 0
        codes.append(unpacked(data[at : at + size], bits, n if exponent else 0))
        at += size
    if at != header["size"]:
        raise DataError(f"the delta has {header['size']} bytes, its parameters need {at}", "it is of another model")
    model_id = struct.pack("<4I", *header["model_id"])
    return Delta(model_id, header["round"], header["base_crc"], header["bits"], header["seed"], exponents, tuple(codes))


def checked_header(data: bytes) -> dict[str, Any]:
    """Return the header's fields. Raises DataError if magic, version, size, checksum or bits are wrong."""
    if len(data) < records.size_of("delta_header"):
        raise DataError(f"{len(data)} bytes are too few for a delta", _RESEND)
    header = records.unpack("delta_header", data)
    if header["magic"] != DELTA_MAGIC or header["version"] != DELTA_VERSION:
        raise DataError("this is not a delta of this version", "update the older of both sides")
    if not records.size_of("delta_header") <= header["size"] <= len(data):
        raise DataError(f"the delta has {len(data)} bytes, its header says {header['size']}", _RESEND)
    if zlib.crc32(data[16 : header["size"]]) != header["crc"]:
        raise DataError("the delta's checksum does not match its bytes", _RESEND)
    check_bits(header["bits"])
    return header


def moved(data: bytes, number: int, base_crc: int) -> bytes:
    """Return a checked delta as one of another base, with the same codes.

    number: of that base's round. base_crc: the CRC-32 of its elements of all parameters that the delta has.
    """
    start = records.size_of("delta_header")
    fields = {**records.unpack("delta_header", data), "round": number, "base_crc": base_crc}
    fields["crc"] = zlib.crc32(records.pack("delta_header", fields)[16:] + data[start : fields["size"]])
    return records.pack("delta_header", fields) + data[start : fields["size"]]


def unpacked(data: bytes, bits: int, n: int) -> np.ndarray:
    """Return n codes, the lowest digit of each byte first. A delta that is too short gives fewer."""
    return np.take(codes_of_bytes(bits), np.frombuffer(data, np.uint8), axis=0).ravel()[:n]


@cache
def codes_of_bytes(bits: int) -> np.ndarray:
    """Return the codes in each byte, (256, digits_of(bits)) int8."""
    radix = radix_of(bits)
    digits = np.arange(256)[:, None] // radix ** np.arange(digits_of(bits)) % radix
    return np.where(2 * digits < radix, digits, digits - radix).astype(np.int8)


def radix_of(bits: int) -> int:
    """Return how many values a code has; those of 2 bits are -1, 0 and 1."""
    return 3 if bits == 2 else 2**bits


def digits_of(bits: int) -> int:
    """Return how many codes a byte has: 5, 2 or 1."""
    return 5 if bits == 2 else 8 // bits
