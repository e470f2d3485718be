"""The files that programming tools take, made from an ELF file's segments."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from .elf import Segment

_ERASED = b"\xff"
_PAGE = 4096
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


def joined(segments: Sequence[Segment]) -> list[Segment]:
    """Segments with less than a page between them become one."""
    groups: list[list[Segment]] = []
    for segment in segments:
        last = groups[-1][-1] if groups else None
        if last is not None and segment.address - (last.address + len(last.data)) < _PAGE:
            groups[-1].append(segment)
        else:
            groups.append([segment])
    return [Segment(group[0].address, flat_binary(group)) for group in groups]


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
    blocks = list(_pieces([_filled(segment) for segment in joined(segments)], _UF2_PAYLOAD))
    return b"".join(_uf2_block(address, data, i, len(blocks), family) for i, (address, data) in enumerate(blocks))


def _filled(segment: Segment) -> Segment:
    """Whole payloads, at addresses that are multiples of their size."""
    before = segment.address % _UF2_PAYLOAD
    after = -(before + len(segment.data)) % _UF2_PAYLOAD
    return Segment(segment.address - before, _ERASED * before + segment.data + _ERASED * after)


def _uf2_block(address: int, data: bytes, index: int, count: int, family: int) -> bytes:
    first, second, last = _UF2_MAGICS
    head = struct.pack("<8I", first, second, _UF2_HAS_FAMILY, address, _UF2_PAYLOAD, index, count, family)
    return head + data.ljust(476, b"\0") + struct.pack("<I", last)


def _pieces(segments: Sequence[Segment], size: int) -> Iterator[tuple[int, bytes]]:
    """(address, bytes): all of it in pieces that each lie in one aligned block of `size`."""
    for segment in segments:
        start, end = segment.address, segment.address + len(segment.data)
        for at in range(start - start % size, end, size):
            first, last = max(at, start), min(at + size, end)
            yield first, segment.data[first - start : last - start]
