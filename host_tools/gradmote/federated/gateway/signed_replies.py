"""Signed replies of devices. The gateway that read them signs, with the key of each device.

A reply is what a device learned, or the test of a base on its samples. Its tag covers the image's digest, the
round, the base's digest, and the whole reply. The server therefore rejects a reply that somebody forged, changed,
or sent in another round.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ...errors import DataError, GradmoteError
from ..replies import AnyRow, DeviceReply, DeviceTest, Row
from ..task import RoundTask
from .keys import TAG_SIZE, Keys, is_tag, tag

#: The purpose of a tag: the tag of a test is not valid for an update.
_PURPOSES: dict[type[Row], str] = {DeviceReply: "update", DeviceTest: "test"}
_SIZE = struct.Struct("<I")


def signed(key: bytes, task: RoundTask, reply: Row) -> bytes:
    """Return a reply with its tag in front. key: the device's."""
    packed = reply.pack()
    return tag(key, _PURPOSES[type(reply)], *_signs(task, packed)) + packed


def unsigned(reply: Row) -> bytes:
    """Return a reply that reports a fault, without a tag. Raises ValueError if it reports none."""
    if not reply.fault:
        raise ValueError(f"the reply of {reply.device} has no fault: sign it")
    return bytes(TAG_SIZE) + reply.pack()


def reply_of(kind: type[AnyRow], data: bytes) -> AnyRow:
    """Return the reply from bytes that this process made itself."""
    return kind.unpack(data[TAG_SIZE:])


def verified(kind: type[AnyRow], keys: Keys, task: RoundTask, data: bytes) -> AnyRow:
    """Return the reply in these bytes. Raises DataError if they are not one, or the device did not sign them.

    A reply that reports a fault does not count, and needs no tag of the device: the connection is signed too.
    """
    found, packed = data[:TAG_SIZE], data[TAG_SIZE:]
    reply = kind.unpack(packed)
    if not reply.fault and not is_tag(found, keys.device(reply.device), _PURPOSES[kind], *_signs(task, packed)):
        raise DataError(f"the reply of {reply.device} has a wrong tag", "give both ends the same key of the device")
    return reply


def _signs(task: RoundTask, packed: bytes) -> tuple[bytes, ...]:
    return task.image_digest, _SIZE.pack(task.round), task.base_digest, packed


def pack_signed(replies: Sequence[bytes]) -> bytes:
    """Return signed replies as bytes: each one's size, u32, then the reply."""
    return b"".join(_SIZE.pack(len(reply)) + reply for reply in replies)


def unpack_signed(
    kind: type[AnyRow], keys: Keys, task: RoundTask, asked: Sequence[str] | None, data: bytes
) -> list[AnyRow]:
    """Return the row of each device, sorted by name, with a fault for each reply that fails verification.

    kind: DeviceReply or DeviceTest. asked: the allowed devices, each of which gets a row; None allows any.
    """
    rows: dict[str, AnyRow] = {}
    for part in _parts(data):
        try:
            reply = verified(kind, keys, task, part)
        except GradmoteError as error:
            if not (name := _claimed(kind, part)):
                continue
            reply = kind(name, fault=f"refused: {error.message}"[:200])
        if reply.device not in rows and (asked is None or reply.device in asked):
            rows[reply.device] = reply
    for name in asked or ():
        rows.setdefault(name, kind(name, fault="the gateway sent no authentic reply for it"))
    return [rows[name] for name in sorted(rows)]


def _parts(data: bytes) -> list[bytes]:
    """Return the replies in these bytes. Raises DataError if they end too early."""
    parts, at = [], 0
    while at < len(data):
        size = _SIZE.unpack_from(data, at)[0] if len(data) - at >= _SIZE.size else len(data)
        at += _SIZE.size
        if size < TAG_SIZE or size > len(data) - at:
            raise DataError("the replies of a gateway end too early", "ask again")
        parts.append(data[at : at + size])
        at += size
    return parts


def _claimed(kind: type[Row], part: bytes) -> str:
    """Return the name in a refused reply; empty if it has none."""
    try:
        return kind.unpack(part[TAG_SIZE:]).device
    except GradmoteError:
        return ""
