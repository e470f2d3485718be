"""Slots of a checkpoint area, as anyone at the line can write them: of the small model of tests/fuzz/converse.c."""

from __future__ import annotations

import struct
import zlib

from fuzz import seeds

#: Of the small model (tests/c/runtime/builder.c).
MODEL_ID = struct.pack("<4I", 0x1000, 0x1001, 0x1002, 0x1003)
#: tests/fuzz/SConscript: a slot of that model is one unit.
SLOT = 1024
FILE = SLOT - 32  #: the record takes the other 32 bytes


def slot(generation: int, size: int, file: bytes = b"") -> bytes:
    """A slot whose record has the right checksum."""
    record = struct.pack("<II16sI", generation & 0xFFFFFFFF, size, MODEL_ID, 0)
    return (record + struct.pack("<I", zlib.crc32(record)) + file).ljust(SLOT, b"\xff")


def programmed(*slots: bytes) -> bytes:
    """Return the conversation that brings these into flash that has no checkpoint."""
    data = b"".join(slots)
    return seeds.request(200, "CHECKPOINT_BEGIN", size=len(data)) + seeds.pieces("CHECKPOINT", data)


def samples() -> bytes:
    """Return the samples with which the small model trains."""
    scale = {"index": 0, "element": 0, "scale": 0.5, "zero": 1.0}
    return b"".join(seeds.request(210 + r, "DATA_U8", role=r, data=bytes(12 - 4 * r), **scale) for r in (0, 1))
