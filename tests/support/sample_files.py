"""Writes samples in each supported form: arrays, tables, folders of pictures and of recordings."""

from __future__ import annotations

import io
import struct
import wave
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np


def npy(array: object) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(array), allow_pickle=True)
    return file.getvalue()


def npz(**arrays: object) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def table(x: np.ndarray, y: Sequence[object], names: Sequence[str] = (), delimiter: str = ",") -> str:
    """Return the samples as CSV, with the label in the last column."""
    rows = [[*map(str, row), str(label)] for row, label in zip(x.reshape(len(x), -1).tolist(), y, strict=True)]
    return "".join(delimiter.join(row) + "\n" for row in ([list(names), *rows] if names else rows))


def picture(pixels: np.ndarray, kind: str = "PNG", **settings: object) -> bytes:
    """Return a picture from bytes, (rows, columns) or (rows, columns, channels)."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, kind, **settings)
    return file.getvalue()


def recording(samples: Sequence[int], rate: int = 8000, width: int = 2, channels: int = 1) -> bytes:
    """Return a WAV file of whole numbers, with interleaved channels."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(channels)
        sound.setsampwidth(width)
        sound.setframerate(rate)
        bias = 128 if width == 1 else 0
        sound.writeframes(b"".join((s + bias).to_bytes(width, "little", signed=width > 1) for s in map(int, samples)))
    return file.getvalue()


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_that_claims(width: int, height: int) -> bytes:
    """Return a PNG of a few hundred bytes that claims to be as large as this."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = zlib.compress(bytes(100_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def write(folder: Path, files: dict[str, bytes | str]) -> Path:
    """Write files by their paths in the folder, and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder
