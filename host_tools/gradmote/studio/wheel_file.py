"""Wheels as files: an archive whose RECORD has the hash of each file; equal contents give equal bytes."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Mapping

#: The time of all files, so that the same sources make the same bytes.
TIME = (1980, 1, 1, 0, 0, 0)


def wheel_bytes(files: Mapping[str, bytes], record: str) -> bytes:
    """Return a wheel of these files with a fresh RECORD, which comes last, under the name `record`."""
    contents = {name: content for name, content in files.items() if name != record}
    rows = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in contents.items()]
    contents[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content)
    return made.getvalue()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
