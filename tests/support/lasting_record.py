"""Records after a checkpoint that say what lasts (docs/SPEC.md), of kinds that no reader knows."""

from __future__ import annotations

import struct
import zlib


def lasting_record(contents: bytes, kind: int = 7) -> bytes:
    return struct.pack("<4sIII", b"GMLR", kind, 1, len(contents)) + contents + struct.pack("<I", zlib.crc32(contents))
