"""ELF files with a few bytes to program."""

from __future__ import annotations

import struct
from pathlib import Path

from gradmote.generated.console import IDENTITY_MARK

_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_PROGRAM_HEADER = struct.Struct("<8I")


def write_elf(path: Path, data: bytes, address: int = 0x0800_0000) -> Path:
    """Write an ELF file with one segment that contains the data."""
    start = _HEADER.size + _PROGRAM_HEADER.size
    header = _HEADER.pack(b"\x7fELF\x01\x01\x01", 2, 40, 1, address, _HEADER.size, 0, 0, _HEADER.size, 32, 1, 40, 0, 0)
    segment = _PROGRAM_HEADER.pack(1, start, address, address, len(data), len(data), 5, 4)
    path.write_bytes(header + segment + data)
    return path


def identity(board: str) -> bytes:
    """Return the bytes with which firmware identifies itself as built for this board."""
    return f"{IDENTITY_MARK}{board}\0".encode()
