"""A reader and writer of checkpoints (.gmck), from docs/SPEC.md and records.toml alone."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np

from .execute import Machine
from .packed_numbers import packed, unpacked
from .read_image import Record, read_record
from .read_tables import constants, enums, fields, size_of

HEADER = size_of("checkpoint")
PLAIN, HALF = enums()["encoding"].index("PLAIN"), enums()["encoding"].index("HALF")
_PACKED_ROLES = ("PARAMETER", "SLOT", "STATISTIC")


def pieces(machine: Machine, encoding: int) -> Iterator[tuple[int, int, bool]]:
    """Yield offset and size in memory of each piece of the state, and whether it is packed."""
    at = 0
    for entry in machine.image.state if encoding == HALF else []:
        is_packed = (
            entry.role_name in _PACKED_ROLES and entry.dtype_name == "F32" and entry.size >= constants()["PACKED_SIZE"]
        )
        if is_packed and entry.offset >= at:
            yield from [(at, entry.offset - at, False)] if entry.offset > at else []
            yield entry.offset, entry.size, True
            at = entry.offset + entry.size
    end = machine.image.header.state_size
    yield from [(at, end - at, False)] if end > at else []


def size_in_file(size: int, is_packed: bool) -> int:
    """Return the bytes that a piece has in the file."""
    return 4 + (size // 4 + 1) // 2 * 4 if is_packed else size


def state_size(machine: Machine, encoding: int) -> int:
    """Return the bytes of the state in a file."""
    return sum(size_in_file(size, is_packed) for _, size, is_packed in pieces(machine, encoding))


def written(machine: Machine, encoding: int) -> bytes:
    """Return the checkpoint of a machine's state."""
    image, state = machine.image, b""
    for at, size, is_packed in pieces(machine, encoding):
        data = bytes(machine.arena[at : at + size])
        state += packed(data) if is_packed else data
    names = image.section("NAMES")
    values = {"magic": constants()["CHECKPOINT_MAGIC"], "version": constants()["CHECKPOINT_VERSION"],
              "model_id": image.header.model_id, "entries": len(image.state), "names_size": len(names),
              "state_size": image.header.state_size, "encoding": encoding}  # fmt: skip
    body = image.section("STATE") + names + state
    return sealed(_header(values | {"size": HEADER + len(body)}) + body)


def _header(values: dict[str, object]) -> bytes:
    words: list[object] = []
    for name, _, count, _ in fields("checkpoint"):
        value = values.get(name, 0)
        words += value if count > 1 else [value]  # type: ignore[arg-type, operator]
    return struct.pack(f"<{len(words)}I", *words)


def sealed(data: bytes) -> bytes:
    """Return a checkpoint with the CRC of its bytes."""
    size = struct.unpack_from("<I", data, 8)[0]
    return data[:12] + struct.pack("<I", zlib.crc32(data[16:size])) + data[16:]


def encoding_of(header: Record) -> int:
    """Return the encoding; in version 1 there was no such word."""
    return PLAIN if header.version == 1 else int(header.encoding)


def error_of(machine: Machine, data: bytes) -> str:
    """Return the name of the error that a machine refuses a checkpoint with, or OK."""
    if len(data) < HEADER:
        return "TRUNCATED"
    header = read_record("checkpoint", data, 0)
    if header.magic != constants()["CHECKPOINT_MAGIC"]:
        return "BAD_MAGIC"
    if header.version not in (1, 2):
        return "BAD_VERSION"
    if not HEADER <= header.size <= len(data):
        return "TRUNCATED"
    if zlib.crc32(data[16 : header.size]) != header.crc:
        return "BAD_CRC"
    if encoding_of(header) not in (PLAIN, HALF):
        return "BAD_VERSION"
    return "OK" if _is_same_model(machine, header) else "WRONG_MODEL"


def _is_same_model(machine: Machine, header: Record) -> bool:
    own = machine.image.header
    parts = HEADER + size_of("state_entry") * header.entries + header.names_size
    size = parts + state_size(machine, encoding_of(header))
    return (header.model_id, header.state_size, header.size) == (own.model_id, own.state_size, size)


def load(machine: Machine, data: bytes) -> str:
    """Give a machine the state of a checkpoint; return the name of the error, or OK."""
    found = error_of(machine, data)
    if found != "OK":
        return found
    header = read_record("checkpoint", data, 0)
    at = header.size - state_size(machine, encoding_of(header))
    for offset, size, is_packed in pieces(machine, encoding_of(header)):
        piece = data[at : at + size_in_file(size, is_packed)]
        values = unpacked(piece, size // 4) if is_packed else piece
        machine.arena[offset : offset + size] = np.frombuffer(values, np.uint8)
        at += len(piece)
    machine.set("accumulated", 0)
    machine.changed = {"state", "rate"}
    return "OK"
