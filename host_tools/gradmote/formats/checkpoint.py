"""The reader and writer of checkpoints (.gmck), of the host and of devices.

The format is in docs/SPEC.md. A checkpoint describes itself: names, shapes and offsets come before
the state, so it can be read without its image. Its encoding is "plain", the state as it is in
memory, or "half", with most float32 numbers in 16 bits, for slow links.
"""

from __future__ import annotations

import math
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CheckpointError
from ..generated.records import (
    CHECKPOINT_MAGIC,
    CHECKPOINT_VERSION,
    DTYPE,
    ENCODING,
    LASTING_MAGIC,
    MAX_RANK,
    NONE,
    PROPERTY_TYPE,
    STATE_ROLE,
)
from . import narrow_floats, packed_state, properties_trailer, records

_BODY = 16  # the CRC covers everything from here on

#: The types of tensors in the state -> NumPy's.
STATE_TYPES: dict[str, np.dtype[Any]] = {
    "f32": np.dtype("<f4"), "i32": np.dtype("<i4"), "i8": np.dtype("i1"), "u8": np.dtype("u1"), "i16": np.dtype("<i2"),
}  # fmt: skip
#: bfloat16 moments are read as float32; only a device has them.
_BF16 = DTYPE["bf16"]
_TYPE_OF: dict[int, np.dtype[Any]] = {
    **{DTYPE[name]: kind for name, kind in STATE_TYPES.items()}, _BF16: narrow_floats.BFLOAT16_BITS,
}  # fmt: skip


@dataclass
class Checkpoint:
    """The contents of a checkpoint.

    tensors: parameters, running statistics and moments by name, copies in their own type, except bfloat16, which
    becomes float32. control: counters and learning rate; empty in a host checkpoint. properties: the application's
    numbers; from the host, texts too. model_id: 16 bytes, zero in a host checkpoint. nominal: names and shapes
    only; the tensors are zero. property_slots: how many numbers the device's state has room for. version, encoding:
    those of the file; encoding is a key of ENCODING. frozen: weights of the model that nothing trains, from a host
    checkpoint; a device does not see them. constants: frozen weights of other types, which a checkpoint of
    onnxruntime may have.
    """

    tensors: dict[str, np.ndarray]
    parameters: list[str]
    statistics: list[str] = field(default_factory=list)
    control: dict[str, int | float] = field(default_factory=dict)
    properties: dict[str, int | float | str] = field(default_factory=dict)
    model_id: bytes = bytes(16)
    nominal: bool = False
    property_slots: int | None = None
    version: int = CHECKPOINT_VERSION
    encoding: str = "plain"
    frozen: dict[str, np.ndarray] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)


def pack(
    parameters: Mapping[str, np.ndarray],
    statistics: Mapping[str, np.ndarray] | None = None,
    nominal: bool = False,
    frozen: Mapping[str, np.ndarray] | None = None,
) -> bytes:
    """Return a host checkpoint of parameters and running statistics.

    nominal: omit the data and keep names and shapes. frozen: weights that follow in a checkpoint of their
    own, after the end that a device sees.
    """
    names, table, state = b"", [], b""
    tensors = [("parameter", *p) for p in parameters.items()] + [("statistic", *s) for s in (statistics or {}).items()]
    for role, name, array in tensors:
        shape = tuple(array.shape)
        dtype, data = tensor_data(array)
        table.append(entry(len(names), role, shape, len(state), len(data), dtype=dtype))
        names += name.encode() + b"\0"
        state += data + bytes(-len(data) % 4)
    names += bytes(-len(names) % 4)
    state = b"" if nominal else state
    rest = pack(frozen, nominal=nominal) if frozen else b""
    return seal(b"".join(table), names, state, len(table), bytes(16)) + rest


def tensor_data(array: np.ndarray) -> tuple[str, bytes]:
    """Return the type and the bytes of a tensor in a state.

    Integers of 8, 16 and 32 bits keep their type; all else is float32.
    """
    dtype = next((name for name, kind in STATE_TYPES.items() if array.dtype == kind), "f32")
    return dtype, np.ascontiguousarray(array, STATE_TYPES[dtype]).tobytes()


def entry(
    name: int, role: str, shape: tuple[int, ...], offset: int, size: int, gradient: int = NONE, dtype: str = "f32"
) -> bytes:
    """Return the bytes of one state_entry record."""
    return records.pack(
        "state_entry",
        {
            "name": name,
            "role": STATE_ROLE[role],
            "dtype": DTYPE[dtype],
            "rank": len(shape),
            "dims": [*shape, *[1] * (MAX_RANK - len(shape))],
            "offset": offset,
            "size": size,
            "gradient": gradient,
        },
    )


def seal(
    table: bytes, names: bytes, state: bytes, entries: int, model_id: bytes, state_size: int | None = None
) -> bytes:
    """Return the checkpoint: a header with size and CRC, then the parts.

    state_size: bytes of the state in memory, if it is packed.
    """
    header = {
        "magic": CHECKPOINT_MAGIC,
        "version": CHECKPOINT_VERSION,
        "model_id": struct.unpack("<4I", model_id),
        "entries": entries,
        "names_size": len(names),
        "state_size": len(state) if state_size is None else state_size,
        "encoding": ENCODING["plain" if state_size is None else "half"],
        "size": records.size_of("checkpoint") + len(table) + len(names) + len(state),
    }
    body = records.pack("checkpoint", header)[_BODY:] + table + names + state
    return records.pack("checkpoint", {**header, "crc": zlib.crc32(body)})[:_BODY] + body


def as_half(data: bytes) -> bytes:
    """Return the same checkpoint with encoding "half", byte for byte as a device packs it.

    A checkpoint that already has this encoding, or is nominal, is returned unchanged. Raises
    CheckpointError for bytes that are not a checkpoint.
    """
    return recoded(data, "half")


def as_plain(data: bytes) -> bytes:
    """Return the same checkpoint with encoding "plain".

    Its state is that of a device's memory once it has loaded the checkpoint. Raises CheckpointError for
    bytes that are not a checkpoint.
    """
    return recoded(data, "plain")


def recoded(data: bytes, encoding: str) -> bytes:
    """Return the checkpoint in that encoding; the bytes that follow it stay."""
    file, trailer = split_trailer(data)
    header = checked_header(file)
    try:
        table, names, state = parts_of(header, file)
        if header["encoding"] == ENCODING[encoding] or not state:
            return data
        packed = packed_state.pack(table, state) if encoding == "half" else state
    except ValueError as error:
        raise CheckpointError(f"a record cannot be read ({error})", "transfer the file again") from error
    state_size = len(state) if encoding == "half" else None
    return (
        seal(rows_of(header, file), names, packed, len(table), struct.pack("<4I", *header["model_id"]), state_size)
        + trailer
    )


def rows_of(header: dict, file: bytes) -> bytes:
    """Return the bytes of a checkpoint's table."""
    at = records.size_of("checkpoint")
    return file[at : at + header["entries"] * records.size_of("state_entry")]


def load(path: str | os.PathLike[str]) -> Checkpoint:
    """Return the contents of a checkpoint file.

    Raises CheckpointError.
    """
    try:
        return unpack(records.read_file(path))
    except CheckpointError as error:
        raise CheckpointError(f"{path}: {error.message}", error.hint) from error
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror}", "check the path") from error


def file_bytes(path: Path) -> bytes:
    """Return the bytes of a file, for a target to check and load. Raises CheckpointError if it is another kind."""
    data = path.read_bytes()
    if not starts(data):
        raise CheckpointError(f"{path}: this is not a checkpoint", "pass a .gmck file")
    return data


def unpack(data: bytes) -> Checkpoint:
    """Return the contents of a checkpoint, after checks of size, version and CRC.

    Raises CheckpointError.
    """
    data, rest = split_trailer(data)
    header = checked_header(data)
    frozen, trailer = split_frozen(rest)
    try:
        found = read_body(header, data)
        found.frozen = read_body(checked_header(frozen), frozen).tensors if frozen else {}
        found.properties = properties_trailer.unpack(trailer) if trailer else found.properties
    except (struct.error, ValueError, RecursionError) as error:
        raise CheckpointError(f"a record cannot be read ({error})", "transfer the file again") from error
    return found


def read_body(header: dict, data: bytes) -> Checkpoint:
    """Return the contents of a checkpoint whose header has been checked.

    Raises ValueError or struct.error for records that contradict each other.
    """
    table, names, state = parts_of(header, data)
    encoding = next(name for name, number in ENCODING.items() if number == header["encoding"])
    model_id = struct.pack("<4I", *header["model_id"])
    found = Checkpoint({}, [], model_id=model_id, version=header["version"], encoding=encoding)
    for row in table:
        read_entry(found, row, names, state)
    found.nominal = bool(found.parameters) and not state
    return found


def parts_of(header: dict, data: bytes) -> tuple[list[dict], bytes, bytes]:
    """Return (rows of the table, names, the state as it is in memory).

    Raises ValueError for records that contradict each other.
    """
    at = records.size_of("checkpoint")
    row_size = records.size_of("state_entry")
    table = [records.unpack("state_entry", data, at + i * row_size) for i in range(header["entries"])]
    at += header["entries"] * row_size
    names, state = data[at : at + header["names_size"]], data[at + header["names_size"] :]
    check_shapes(table)
    if header["encoding"] == ENCODING["half"]:
        state = packed_state.unpack(table, state, header["state_size"])
    check_bounds(table, state)
    return table, names, state


def check_shapes(table: list[dict]) -> None:
    """Raise ValueError unless every entry has a known type, and the size of its shape."""
    for row in table:
        if row["dtype"] not in _TYPE_OF:
            raise ValueError(f"there is no type of elements with the number {row['dtype']}")
        element = _TYPE_OF[row["dtype"]].itemsize
        if row["rank"] > MAX_RANK or element * math.prod(row["dims"][: row["rank"]]) != row["size"]:
            raise ValueError(f"shape {row['dims'][: row['rank']]} does not have {row['size']} bytes")


def check_bounds(table: list[dict], state: bytes) -> None:
    """Raise ValueError if an entry ends past the state, or all entries together are larger than it.

    Without a state (a nominal checkpoint), the limit is FILE_LIMIT.
    """
    for row in table:
        if state and row["offset"] + row["size"] > len(state):
            raise ValueError(f"an entry ends at {row['offset'] + row['size']} of {len(state)} bytes")
    if sum(row["size"] for row in table) > (len(state) or records.FILE_LIMIT):
        raise ValueError("the entries have more bytes than the state")


def split_trailer(data: bytes) -> tuple[bytes, bytes]:
    """Return the checkpoint, as long as its header says, and the bytes that follow it.

    The host wrote them: frozen weights, properties, or both in this order. Lasting records are skipped.
    """
    if len(data) >= records.size_of("checkpoint"):
        size = records.unpack("checkpoint", data)["size"]
        rest = after_lasting_records(data[size:])
        if properties_trailer.starts(rest) or starts(rest) or not rest:
            return data[:size], rest
    return data, b""


def after_lasting_records(rest: bytes) -> bytes:
    """Return what follows the lasting records.

    Raises CheckpointError for a damaged one.
    """
    while rest[:4] == LASTING_MAGIC.to_bytes(4, "little"):
        head = records.size_of("lasting")
        end = head + records.unpack("lasting", rest)["size"] if len(rest) >= head else head
        if len(rest) < end + 4 or zlib.crc32(rest[head:end]) != int.from_bytes(rest[end : end + 4], "little"):
            raise CheckpointError("a lasting record after the checkpoint is damaged", "transfer the file again")
        rest = rest[end + 4 :]
    return rest


def split_frozen(rest: bytes) -> tuple[bytes, bytes]:
    """Return the checkpoint of the frozen weights, if there is one, and the properties, if they follow."""
    return split_trailer(rest) if starts(rest) else (b"", rest)


def starts(data: bytes) -> bool:
    """Return whether the bytes start like a checkpoint."""
    return data[:4] == CHECKPOINT_MAGIC.to_bytes(4, "little")


def checked_header(data: bytes) -> dict:
    """Return the header of a file whose size and checksum are right.

    Raises CheckpointError if they are not.
    """
    if len(data) > records.FILE_LIMIT:
        raise CheckpointError("the file is larger than 1 GiB", "pass a .gmck file")
    if len(data) < records.size_of("checkpoint"):
        raise CheckpointError(f"{len(data)} bytes are too few for a checkpoint", "transfer the file again")
    header = records.unpack("checkpoint", data)
    if header["magic"] != CHECKPOINT_MAGIC:
        raise CheckpointError("this is not a checkpoint", "pass a .gmck file")
    check_version(header)
    parts = records.size_of("checkpoint") + header["entries"] * records.size_of("state_entry") + header["names_size"]
    is_plain = header["encoding"] == ENCODING["plain"]
    if header["size"] != len(data) or (parts + header["state_size"] != len(data) if is_plain else parts > len(data)):
        raise CheckpointError(
            f"the file has {len(data)} bytes, its header says {header['size']}", "transfer the file again"
        )
    if zlib.crc32(data[_BODY:]) != header["crc"]:
        raise CheckpointError(
            "the checksum does not match the bytes", "transfer the file again, or fall back to an older one"
        )
    return header


def check_version(header: dict) -> None:
    """Raise CheckpointError for a later version, or for an unknown encoding."""
    if not 1 <= header["version"] <= CHECKPOINT_VERSION:
        raise CheckpointError(
            f"the checkpoint has format version {header['version']}, this gradmote reads 1 to {CHECKPOINT_VERSION}",
            "install the gradmote that wrote it",
        )
    if header["version"] == 1:
        header["encoding"] = ENCODING["plain"]  # version 1 had a reserved word there
    if header["encoding"] not in ENCODING.values():
        raise CheckpointError(
            f"the checkpoint has encoding {header['encoding']}, which this gradmote does not know",
            "install the gradmote that wrote it",
        )


def read_entry(found: Checkpoint, row: dict, names: bytes, state: bytes) -> None:
    """Add one state entry to the contents, under its role."""
    roles = {v: k for k, v in STATE_ROLE.items()}
    role, data = roles.get(row["role"]), state[row["offset"] : row["offset"] + row["size"]]
    if role == "control":
        found.control = records.unpack("control", data)
        found.control.pop("reserved", None)
    elif role == "properties":
        found.properties = read_properties(data)
        found.property_slots = len(data) // records.size_of("property")
    elif role != "store":  # samples are the device's own
        name = f"tensor_{len(found.tensors)}" if row["name"] == NONE else records.text_at(names, row["name"])
        shape = tuple(row["dims"][: row["rank"]])
        kind = _TYPE_OF[row["dtype"]]
        values = np.frombuffer(data, kind).reshape(shape).copy() if data else np.zeros(shape, kind)
        found.tensors[name] = narrow_floats.from_bfloat16(values) if row["dtype"] == _BF16 else values
        if role in ("parameter", "statistic"):
            (found.parameters if role == "parameter" else found.statistics).append(name)


def read_properties(data: bytes) -> dict[str, int | float | str]:
    """Return the properties in the slots of a device's state, without empty slots."""
    values: dict[str, int | float | str] = {}
    for offset in range(0, len(data), records.size_of("property")):
        slot = records.unpack("property", data, offset)
        key = struct.pack("<5I", *slot["key"]).split(b"\0")[0].decode(errors="backslashreplace")
        bits = struct.pack("<I", slot["value"])
        if slot["type"] == PROPERTY_TYPE["i32"]:
            values[key] = struct.unpack("<i", bits)[0]
        elif slot["type"] == PROPERTY_TYPE["f32"]:
            values[key] = struct.unpack("<f", bits)[0]
    return values
