"""Read the public key that firmware requires signatures of: an Ed25519 key (RFC 8410) in PEM as OpenSSL writes it."""

from __future__ import annotations

import base64
import binascii
import re
from pathlib import Path

#: SubjectPublicKeyInfo in DER, before the key's 32 bytes.
PREFIX = bytes.fromhex("302a300506032b6570032100")
KEY_SIZE = 32
HINT = "make both keys with `gradmote keygen key.pem`, and give the public one, key.pub.pem"


class NoPublicKey(ValueError):
    """The file is not an Ed25519 public key."""


def read_public_key(path: str | Path) -> bytes:
    """Return the 32 bytes of the key. Raises NoPublicKey."""
    try:
        text = Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise NoPublicKey(f"cannot read the key {path}: {error}") from error
    if "PRIVATE KEY" in text:
        raise NoPublicKey(f"{path} is a private key, which no firmware may carry - {HINT}")
    found = re.search(r"-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----", text)
    der = decoded(found[1]) if found else b""
    if not der.startswith(PREFIX) or len(der) != len(PREFIX) + KEY_SIZE:
        raise NoPublicKey(f"{path} is no public key of Ed25519 in PEM - {HINT}")
    return der[len(PREFIX) :]


def decoded(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except binascii.Error:
        return b""
