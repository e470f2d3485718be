"""Numpy's files: samples from an .npz with arrays by name, or an .npy with one array; the bytes of an .npz."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..errors import DataError
from .loaded import Array
from .quoting import named, quoted
from .size_limits import require_size, size_of


def load_npz(path: Path) -> dict[str, Array]:
    """Return the arrays in an .npz file by name; raise DataError if it is damaged."""
    try:
        _require_members(path)
        with np.load(path, allow_pickle=False) as file:
            return {name: np.asarray(file[name]) for name in file.files}
    except DataError:
        raise
    except Exception as error:  # parsers of damaged files raise errors of many kinds
        raise DataError(
            f"cannot read {named(path)} ({_reason(error)})", "write it with numpy.savez(path, x=..., y=...)"
        ) from error


def _require_members(path: Path) -> None:
    """Raise DataError if the arrays are too large, or two have the same name."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    require_size(path, sum(member.file_size for member in members), size_of(path))
    name, count = max(Counter(member.filename for member in members).items(), key=lambda item: item[1], default=("", 1))
    if count > 1:
        raise DataError(f"{named(path)} has {count} arrays called {quoted(name)}", "give each a name of its own")


def load_npy(path: Path) -> Array:
    """Return the array in an .npy file; raise DataError if it is damaged."""
    try:
        with path.open("rb") as file:
            shape, dtype = _header(file)
            left = size_of(path) - file.tell()
        if not dtype.hasobject and np.prod(shape, dtype=object) * dtype.itemsize > left:
            raise ValueError(f"it claims an array {shape} of {dtype}, and has {left:,} bytes of it")
        return np.asarray(np.load(path, allow_pickle=False))
    except Exception as error:  # parsers of damaged files raise errors of many kinds
        raise DataError(
            f"cannot read {named(path)} ({_reason(error)})", "write numbers with numpy.save(path, array)"
        ) from error


def _header(file: BinaryIO) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return the shape and the dtype that an .npy file claims."""
    version = np.lib.format.read_magic(file)
    read = {(1, 0): np.lib.format.read_array_header_1_0}.get(version, np.lib.format.read_array_header_2_0)
    shape, _, dtype = read(file)
    return shape, dtype


def _reason(error: BaseException) -> str:
    """Return the error's text, or its type's name if it has no text."""
    return named(error) or type(error).__name__


def npz_bytes(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return an .npz file of arrays by their names."""
    file = io.BytesIO()
    named: dict[str, np.ndarray] = dict(arrays)
    np.savez(file, **named)  # type: ignore[arg-type]
    return file.getvalue()
