"""The segments of an ELF file for a part's memory."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.common.utils import struct_parse
from elftools.elf.elffile import ELFFile

from gradmote.errors import DeviceError
from gradmote.generated.console import IDENTITY_MARK

_ADDRESSES = 1 << 32
_IDENTITY = re.compile(re.escape(IDENTITY_MARK.encode()) + rb"([\x21-\x7e]{1,64})\0")


@dataclass(frozen=True)
class Segment:
    """Bytes, and the address to which they are programmed.

    Variables with initial values are later used at another address.
    """

    address: int
    data: bytes


def read_segments(elf: Path) -> list[Segment]:
    """Return all segments to program, sorted by address, without overlaps.

    Raises DeviceError if the file is not a complete 32-bit little-endian ELF.
    """
    try:
        file = ELFFile(io.BytesIO(elf.read_bytes()))
    except ELFError as error:
        raise _no_firmware(elf) from error
    if file.elfclass != 32 or not file.little_endian:
        raise _no_firmware(elf)
    try:
        found = sorted(_segments(file), key=lambda segment: segment.address)
    except ELFError as error:
        raise _damaged(elf, "it ends too early") from error
    ends = [segment.address + len(segment.data) for segment in found]
    if any(end > segment.address for end, segment in zip(ends, found[1:], strict=False)):
        raise _damaged(elf, "two of its segments share addresses")
    if any(end > _ADDRESSES for end in ends):
        raise _damaged(elf, "a segment ends past the last address")
    return found


def size_of(segments: Sequence[Segment]) -> int:
    """Return the bytes of flash that a firmware takes."""
    return sum(len(segment.data) for segment in segments)


def board_names(segments: Sequence[Segment]) -> set[str]:
    """Return the boards named in a firmware as its own; none if it is not Gradmote's."""
    return {name.decode() for segment in segments for name in _IDENTITY.findall(segment.data)}


def _no_firmware(elf: Path) -> DeviceError:
    return DeviceError(f"{elf} is not firmware for a 32-bit part", "leave --firmware out, and gradmote flash builds it")


def _damaged(elf: Path, why: str) -> DeviceError:
    return DeviceError(f"{elf} is damaged: {why}", "build it again, or copy it again")


def _segments(file: ELFFile) -> Iterator[Segment]:
    """Yield the segments to load.

    Raises ELFError if the file ends too early, or has fewer bytes than its segments.
    """
    room = file.stream_len
    for header in _program_headers(file):
        offset, size = header["p_offset"], header["p_filesz"]
        if header["p_type"] != "PT_LOAD" or size == 0:
            continue
        if offset + size > file.stream_len or size > room:
            raise ELFError("a segment has more bytes than the file")
        room -= size
        file.stream.seek(offset)
        yield Segment(header["p_paddr"], file.stream.read(size))


def _program_headers(file: ELFFile) -> Iterator[Any]:
    """Yield the program headers one by one.

    ELFFile.iter_segments() would also trust what a hostile file says about its sections.
    """
    entry, size = file.structs.Elf_Phdr, file["e_phentsize"]
    if file["e_phnum"] and size < entry.sizeof():
        raise ELFError("a program header is too small")
    for index in range(file["e_phnum"]):
        yield struct_parse(entry, file.stream, file["e_phoff"] + index * size)
