"""The keys of a gateway and of its devices, and what they sign.

All tags are HMAC-SHA-256 (RFC 2104, FIPS 198-1) from Python's own library, compared by compare_digest().
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import DataError
from ...formats.files import Output

#: The size of a key, of a nonce and of a tag in bytes.
KEY_SIZE = NONCE_SIZE = TAG_SIZE = 32
#: The name of the line with the key that both ends of the connection share.
GATEWAY = "gateway"
_LINE = re.compile(r"(\S+)\s+([0-9a-fA-F]{64})")
_MOST_BYTES = 2**24


@dataclass(frozen=True)
class Keys:
    """The keys that a gateway and its server share.

    gateway: the key of the connection. devices: the key of each device, by its name.
    """

    gateway: bytes = field(repr=False)
    devices: dict[str, bytes] = field(repr=False)

    def device(self, name: str) -> bytes:
        """Return the key of a device. Raises DataError if there is none."""
        if name not in self.devices:
            raise DataError(
                f"the key file has no key of the device '{name}'", f"add a line '{name} ' and 64 hex digits"
            )
        return self.devices[name]


def read_keys(path: str | os.PathLike[str]) -> Keys:
    """Return the keys in a file; each line has a name and 64 hexadecimal digits.

    Raises DataError if the file is missing, is readable by other accounts, or has a wrong line.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            _require_private(path, os.fstat(file.fileno()).st_mode)
            text = file.read(_MOST_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"the key file {path} cannot be read ({error})", "make one: gradmote federate gateway CONFIG --make-keys"
        ) from error
    found: dict[str, bytes] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            name, key = _pair_of(path, number, line)
            if name in found:
                raise DataError(f"{path}, line {number}: a second key of '{name}'", "remove one of them")
            found[name] = key
    if GATEWAY not in found:
        raise DataError(f"{path} has no key of the gateway", f"add a line '{GATEWAY} ' and 64 hex digits")
    return Keys(found.pop(GATEWAY), found)


def _require_private(path: Path, mode: int) -> None:
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise DataError(f"other accounts may read the key file {path}", f"chmod 600 {path}")


def _pair_of(path: Path, number: int, line: str) -> tuple[str, bytes]:
    found = _LINE.fullmatch(line.strip())
    if found is None:  # not shown: the line may contain a key
        raise DataError(f"{path}, line {number}: this is not a key", "write a name, a space and 64 hexadecimal digits")
    return found[1], bytes.fromhex(found[2])


def write_keys(path: str | os.PathLike[str], devices: Sequence[str]) -> None:
    """Write a key file, readable only by this account, with new keys for the gateway and each device.

    Raises DataError if the file exists, and OutputError if it cannot be written.
    """
    if os.path.lexists(path):
        raise DataError(f"the key file {path} exists", "keys are not replaced: remove it first, at both ends")
    lines = [f"{name} {secrets.token_hex(KEY_SIZE)}\n" for name in (GATEWAY, *devices)]
    Output(path).write("".join(lines).encode(), 0o600)


# ---- Signatures ------------------------------------------------------------------------------------------------------


def tag(key: bytes, purpose: str, *parts: bytes) -> bytes:
    """Return the HMAC of some parts, each with its length, under a purpose: no two lists give the same message."""
    mac = hmac.new(key, purpose.encode() + b"\0", hashlib.sha256)
    for part in parts:
        mac.update(len(part).to_bytes(8, "little") + part)
    return mac.digest()


def is_tag(found: bytes, key: bytes, purpose: str, *parts: bytes) -> bool:
    """Return whether `found` is the tag of these parts, in a time that does not depend on where it differs."""
    return hmac.compare_digest(found, tag(key, purpose, *parts))
