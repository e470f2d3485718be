"""The file formats of programming tools, made from an ELF file's segments."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence

from .elf import Segment

_ERASED = b"\xff"
_PAGE = 4096
_UF2_PAYLOAD = 256  # bytes of data in one block
_UF2_MAGICS = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
_UF2_HAS_FAMILY = 0x2000


def flat_binary(segments: Sequence[Segment]) -> bytes:
    """Return all bytes from the first segment's address on, with erased flash between segments."""
    start = segments[0].address
    data = bytearray()
    for segment in segments:
        data += _ERASED * (segment.address - start - len(data)) + segment.data
    return bytes(data)


def joined(segments: Sequence[Segment]) -> list[Segment]:
    """Return the segments, and join those with less than a page between them."""
    groups: list[list[Segment]] = []
    for segment in segments:
        last = groups[-1][-1] if groups else None
        if last is not None and segment.address - (last.address + len(last.data)) < _PAGE:
            groups[-1].append(segment)
        else:
            groups.append([segment])
    return [Segment(group[0].address, flat_binary(group)) for group in groups]


def intel_hex(segments: Sequence[Segment]) -> bytes:
    """Return Intel HEX with 32-bit addresses."""
    from intelhex import IntelHex

    memory = IntelHex()
    for segment in segments:
        memory.puts(segment.address, segment.data)
    written = io.StringIO(newline="\n")
    memory.write_hex_file(written)
    return written.getvalue().encode()


def uf2(segments: Sequence[Segment], family: int) -> bytes:
    """Return a file in the USB Flashing Format, https://github.com/microsoft/uf2.

    family: the part's UF2 family ID; its boot loader rejects files with any other ID.
    """
    blocks = [block for segment in joined(segments) for block in _payloads(_filled(segment))]
    return b"".join(_uf2_block(address, data, i, len(blocks), family) for i, (address, data) in enumerate(blocks))


def _filled(segment: Segment) -> Segment:
    """Return the segment extended to whole payloads, at multiples of their size."""
    before = segment.address % _UF2_PAYLOAD
    after = -(before + len(segment.data)) % _UF2_PAYLOAD
    return Segment(segment.address - before, _ERASED * before + segment.data + _ERASED * after)


def _uf2_block(address: int, data: bytes, index: int, count: int, family: int) -> bytes:
    first, second, last = _UF2_MAGICS
    head = struct.pack("<8I", first, second, _UF2_HAS_FAMILY, address, _UF2_PAYLOAD, index, count, family)
    return head + data.ljust(476, b"\0") + struct.pack("<I", last)


def _payloads(segment: Segment) -> Iterator[tuple[int, bytes]]:
    """Yield (address, bytes) of each payload of a segment that consists of whole payloads."""
    for at in range(0, len(segment.data), _UF2_PAYLOAD):
        yield segment.address + at, segment.data[at : at + _UF2_PAYLOAD]
