"""The signature record after an image; gradmote.formats.signing makes and checks signatures."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ...generated.records import IMAGE_MAGIC, SIGNATURE_MAGIC, SIGNATURE_VERSION
from .. import records

_SIZE_AT = 8  # byte offset of the header's field `size`
KEY_ID_SIZE = 8


@dataclass(frozen=True)
class Signature:
    """A signature and the key that made it.

    key_id: the first KEY_ID_SIZE bytes of the public key. value: 64 bytes, Ed25519 (RFC 8032).
    """

    key_id: bytes
    value: bytes

    def pack(self) -> bytes:
        """Return the bytes of the record that follows the image."""
        key_id, value = struct.unpack("<2I", self.key_id), struct.unpack("<16I", self.value)
        return records.pack(
            "signature", {"magic": SIGNATURE_MAGIC, "version": SIGNATURE_VERSION, "key_id": key_id, "bytes": value}
        )


def without_signature(data: bytes) -> bytes:
    """Return the bytes that the image's header counts, or all bytes if this is not an image."""
    if data[:4] != struct.pack("<I", IMAGE_MAGIC) or len(data) < records.size_of("header"):
        return data
    (size,) = struct.unpack_from("<I", data, _SIZE_AT)
    return data[:size]


def signature_of(data: bytes) -> Signature | None:
    """Return the signature after an image, valid or not, or None if there is none."""
    rest = data[len(without_signature(data)) :]
    if len(rest) < records.size_of("signature"):
        return None
    found = records.unpack("signature", rest)
    if (found["magic"], found["version"]) != (SIGNATURE_MAGIC, SIGNATURE_VERSION):
        return None
    return Signature(struct.pack("<2I", *found["key_id"]), struct.pack("<16I", *found["bytes"]))
