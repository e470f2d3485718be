"""The files that programming tools take, made from an ELF file's segments."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from .elf import Segment

_ERASED = b"\xff"
_HEX_LINE = 16  # bytes in one record
_UF2_PAYLOAD = 256  # bytes in one block
_UF2_MAGICS = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
_UF2_HAS_FAMILY = 0x2000


def flat_binary(segments: Sequence[Segment]) -> bytes:
    """From the first segment's address on; what lies between two is as erased flash."""
    start = segments[0].address
    data = bytearray()
    for segment in segments:
        data += _ERASED * (segment.address - start - len(data)) + segment.data
    return bytes(data)


def intel_hex(segments: Sequence[Segment]) -> bytes:
    """Intel HEX with 32-bit addresses."""
    lines = []
    upper = None
    for address, data in _pieces(segments, _HEX_LINE):
        if address >> 16 != upper:
            upper = address >> 16
            lines.append(_hex_record(0, 4, struct.pack(">H", upper)))
        lines.append(_hex_record(address & 0xFFFF, 0, data))
    return "".join([*lines, _hex_record(0, 1, b"")]).encode()


def _hex_record(address: int, kind: int, data: bytes) -> str:
    body = struct.pack(">BHB", len(data), address, kind) + data
    return f":{body.hex().upper()}{-sum(body) & 0xFF:02X}\n"


def uf2(segments: Sequence[Segment], family: int) -> bytes:
    """USB Flashing Format, https://github.com/microsoft/uf2. family: of the part, which refuses others."""
    start, data = segments[0].address, flat_binary(segments)
    before = start % _UF2_PAYLOAD
    filled = _ERASED * before + data + _ERASED * (-(before + len(data)) % _UF2_PAYLOAD)
    blocks = list(_pieces([Segment(start - before, filled)], _UF2_PAYLOAD))
    return b"".join(_uf2_block(address, data, i, len(blocks), family) for i, (address, data) in enumerate(blocks))


def _uf2_block(address: int, data: bytes, index: int, count: int, family: int) -> bytes:
    first, second, last = _UF2_MAGICS
    head = struct.pack("<8I", first, second, _UF2_HAS_FAMILY, address, _UF2_PAYLOAD, index, count, family)
    return head + data.ljust(476, b"\0") + struct.pack("<I", last)


def _pieces(segments: Sequence[Segment], size: int) -> Iterator[tuple[int, bytes]]:
    """(address, bytes): all of it in pieces that each lie in one aligned block of `size`."""
    flat = flat_binary(segments)
    start = segments[0].address
    for at in range(start - start % size, start + len(flat), size):
        first, end = max(at, start), min(at + size, start + len(flat))
        yield first, flat[first - start : end - start]
