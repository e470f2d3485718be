"""What of an ELF file goes into a part's memory."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from gradmote.errors import DeviceError

_ELF32_LITTLE_ENDIAN = b"\x7fELF\x01\x01"
_HEADER = struct.Struct("<16sHHIIIIIHHH")  # up to e_phnum
_PROGRAM_HEADER = struct.Struct("<8I")
_PT_LOAD = 1


@dataclass(frozen=True)
class Segment:
    """Bytes and the address where they are programmed, which for initial values is not where they are used."""

    address: int
    data: bytes


def read_segments(elf: Path) -> list[Segment]:
    """All that is to be programmed, by address. DeviceError where the file is no 32-bit little-endian ELF."""
    content = elf.read_bytes()
    if content[:6] != _ELF32_LITTLE_ENDIAN or len(content) < _HEADER.size:
        raise DeviceError(f"{elf} is no firmware for a 32-bit part", "give the firmware.elf that scons firmware built")
    *_, table, _, _, _, entry_size, count = _HEADER.unpack_from(content)
    found = [_segment(content, table + i * entry_size) for i in range(count)]
    return sorted((segment for segment in found if segment is not None), key=lambda segment: segment.address)


def _segment(content: bytes, at: int) -> Segment | None:
    kind, offset, _, load_address, size, *_ = _PROGRAM_HEADER.unpack_from(content, at)
    return Segment(load_address, content[offset : offset + size]) if kind == _PT_LOAD and size else None
