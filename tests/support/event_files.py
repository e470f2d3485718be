"""Reads TensorBoard's event files: records with their checksums, and of each event its step and its scalars.

Independent of any library that writes them. A record is its length (8 bytes), the masked CRC-32C of these, its
bytes, and their masked CRC-32C. An event is a protocol buffer: 2 = step, 5 = summary {1 = value {1 = tag,
2 = simple_value}}, 7 = session log, after which events of its step and later ones no longer count.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Return (step, value) of each tag over all files of a folder, in the order in which they were written."""
    found: dict[str, list[tuple[int, float]]] = {}
    for path in sorted(folder.glob("*tfevents*")):
        for event in map(fields, records(path.read_bytes())):
            step = event.get(2, [0])[0]
            if 7 in event:
                found = {tag: [point for point in points if point[0] < step] for tag, points in found.items()}
            for value in (fields(v) for summary in event.get(5, []) for v in fields(summary)[1]):
                found.setdefault(value[1][0].decode(), []).append((step, struct.unpack("<f", value[2][0])[0]))
    return found


def records(data: bytes) -> Iterator[bytes]:
    """Yield the whole records; assert their checksums."""
    while len(data) >= 12 and len(data) >= 16 + (size := struct.unpack("<Q", data[:8])[0]):
        content = data[12 : 12 + size]
        assert struct.unpack("<I", data[8:12])[0] == masked(data[:8])
        assert struct.unpack("<I", data[12 + size : 16 + size])[0] == masked(content)
        yield content
        data = data[16 + size :]


def masked(data: bytes) -> int:
    """Return CRC-32C (reflected, polynomial 0x82F63B78), rotated and offset as TensorFlow does."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def fields(message: bytes) -> dict[int, list[Any]]:
    """Return the fields of a protocol buffer by number: integers, or bytes."""
    found: dict[int, list[Any]] = {}
    while message:
        key, message = varint(message)
        kind = key & 7
        if kind == 0:
            value, message = varint(message)
        else:
            size, message = {1: (8, message), 5: (4, message)}.get(kind) or varint(message)
            value, message = message[:size], message[size:]
        found.setdefault(key >> 3, []).append(value)
    return found


def varint(data: bytes) -> tuple[int, bytes]:
    value = 0
    for index, byte in enumerate(data):
        value |= (byte & 127) << 7 * index
        if byte < 128:
            return value, data[index + 1 :]
    raise AssertionError("a number without an end")
