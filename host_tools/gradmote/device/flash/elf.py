"""What of an ELF file goes into a part's memory."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gradmote.errors import DeviceError
from gradmote.generated.console import IDENTITY_MARK

_ELF32_LITTLE_ENDIAN = b"\x7fELF\x01\x01"
_HEADER = struct.Struct("<16sHHIIIIIHHH")  # up to e_phnum
_PROGRAM_HEADER = struct.Struct("<8I")
_PT_LOAD = 1
_IDENTITY = re.compile(re.escape(IDENTITY_MARK.encode()) + rb"([\x21-\x7e]{1,64})\0")


@dataclass(frozen=True)
class Segment:
    """Bytes and the address where they are programmed, which for initial values is not where they are used."""

    address: int
    data: bytes


def read_segments(elf: Path) -> list[Segment]:
    """All that is to be programmed, by address. DeviceError where the file is no whole 32-bit little-endian ELF."""
    content = elf.read_bytes()
    if content[:6] != _ELF32_LITTLE_ENDIAN or len(content) < _HEADER.size:
        raise DeviceError(f"{elf} is no firmware for a 32-bit part", "give the firmware.elf that scons firmware built")
    *_, table, _, _, _, entry_size, count = _HEADER.unpack_from(content)
    try:
        found = [_segment(content, table + i * entry_size) for i in range(count)]
    except (struct.error, EOFError) as error:
        raise DeviceError(f"{elf} is damaged: it ends too early", "build it again, or copy it anew") from error
    return sorted((segment for segment in found if segment is not None), key=lambda segment: segment.address)


def size_of(segments: Sequence[Segment]) -> int:
    """Bytes of flash that a firmware takes."""
    return sum(len(segment.data) for segment in segments)


def board_names(segments: Sequence[Segment]) -> set[str]:
    """The board that a firmware says it is for; empty for what is no firmware of Gradmote."""
    return {name.decode() for segment in segments for name in _IDENTITY.findall(segment.data)}


def _segment(content: bytes, at: int) -> Segment | None:
    kind, offset, _, load_address, size, *_ = _PROGRAM_HEADER.unpack_from(content, at)
    if kind != _PT_LOAD or size == 0:
        return None
    if offset + size > len(content):
        raise EOFError
    return Segment(load_address, content[offset : offset + size])
