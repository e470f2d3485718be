"""The frames and messages of docs/CONSOLE.md, without any transport."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

from gradmote.errors import DeviceError, GradmoteError, RuntimeFault
from gradmote.generated import console

_CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i32": "i", "f32": "f"}
_OPEN = ("bytes", "text")

Field = tuple[str, str, int]


@dataclass(frozen=True)
class Frame:
    """One complete frame with a matching checksum. sequence: 0 .. 255."""

    type: int
    sequence: int
    payload: bytes


def encode(frame: Frame) -> bytes:
    """Return the bytes of a frame; raise ValueError if the payload is too long."""
    if len(frame.payload) > console.PAYLOAD_LIMIT:
        raise ValueError(f"payload of {len(frame.payload)} bytes; at most {console.PAYLOAD_LIMIT} fit a frame")
    body = struct.pack("<BBH", frame.type, frame.sequence, len(frame.payload)) + frame.payload
    return bytes([console.START]) + body + struct.pack("<I", zlib.crc32(body))


class Parser:
    """Splits a stream into frames and text, from any number of bytes at a time.

    If bytes look like a frame but are not one, the parser skips one byte: it searches for the next
    start right after the false one.
    """

    def __init__(self) -> None:
        """Begin with an empty buffer."""
        self._buffer = bytearray()
        self.damaged = 0  #: how many start bytes turned out to begin no frame

    @property
    def pending(self) -> int:
        """The number of bytes received of an incomplete frame."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[Frame | bytes]:
        """Return the items that `data` completes, in order: frames, and the text between them."""
        self._buffer += data
        return self._drain()

    def expire(self) -> list[Frame | bytes]:
        """Give up an incomplete frame that receives no more bytes, and return the items in its bytes."""
        items: list[Frame | bytes] = []
        while self._buffer:
            items += [self._skip_start(), *self._drain()]
        return items

    def _drain(self) -> list[Frame | bytes]:
        items: list[Frame | bytes] = []
        while self._buffer:
            item = self._next()
            if item is None:
                break
            items.append(item)
        return items

    def _next(self) -> Frame | bytes | None:
        start = self._buffer.find(console.START)
        if start != 0:
            return self._take(len(self._buffer) if start < 0 else start)
        if len(self._buffer) < console.HEADER_SIZE:
            return None
        length = int.from_bytes(self._buffer[3:5], "little")
        if length > console.PAYLOAD_LIMIT:
            return self._skip_start()
        size = console.HEADER_SIZE + length + console.TRAILER_SIZE
        return self._whole(size) if len(self._buffer) >= size else None

    def _whole(self, size: int) -> Frame | bytes:
        body = bytes(self._buffer[1 : size - console.TRAILER_SIZE])
        checksum = int.from_bytes(self._buffer[size - console.TRAILER_SIZE : size], "little")
        if zlib.crc32(body) != checksum:
            return self._skip_start()
        del self._buffer[:size]
        return Frame(body[0], body[1], body[4:])

    def _skip_start(self) -> bytes:
        self.damaged += 1
        return self._take(1)

    def _take(self, count: int) -> bytes:
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken


# ---- Messages -------------------------------------------------------------------------------------------------


def message_id(name: str) -> int:
    """Return the number of a message."""
    return int(console.MESSAGES[name]["id"])


def request_payload(name: str, values: dict[str, Any]) -> bytes:
    """Return the payload of a request; `values` must have exactly the message's fields."""
    fields: list[Field] = console.MESSAGES[name]["request"]
    if {f[0] for f in fields} != set(values):
        raise ValueError(f"{name} takes {[f[0] for f in fields]}, not {list(values)}")
    return b"".join(_pack(field, values[field[0]]) for field in fields)


def _pack(field: Field, value: Any) -> bytes:
    _, kind, count = field
    if kind in _OPEN:
        return value.encode() if isinstance(value, str) else bytes(value)
    return struct.pack(f"<{count}{_CODES[kind]}", *(value if count > 1 else (value,)))


def reply_values(name: str, payload: bytes) -> dict[str, Any]:
    """Return the fields of a reply.

    Raises DeviceError if its length is not what this version expects.
    """
    values: dict[str, Any] = {}
    at = 0
    fields: list[Field] = console.MESSAGES[name]["reply"]
    for field_name, kind, count in fields:
        if kind in _OPEN:
            values[field_name] = payload[at:].decode(errors="replace") if kind == "text" else payload[at:]
            return values
        layout = struct.Struct(f"<{count}{_CODES[kind]}")
        if at + layout.size > len(payload):
            raise _mismatch(name, payload)
        found = layout.unpack_from(payload, at)
        values[field_name] = found if count > 1 else found[0]
        at += layout.size
    if at != len(payload):
        raise _mismatch(name, payload)
    return values


def _mismatch(name: str, payload: bytes) -> DeviceError:
    return DeviceError(
        f"the reply to {name} has {len(payload)} bytes, which is not what this version of gradmote expects",
        "flash the firmware of this version: gradmote flash --board NAME",
    )


def error_of(code: int, where: str) -> GradmoteError:
    """Return the exception for an error code that a board sent."""
    if code not in console.FAULTS:
        return RuntimeFault(code, where)
    name, text, hint = console.FAULTS[code]
    error = DeviceError(f"{where}: {text} ({name}, {code})", hint)
    error.code = code  # type: ignore[attr-defined]
    return error
