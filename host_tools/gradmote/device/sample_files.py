"""Arrays from .npz, .npy and .csv files, in dtypes that boards know."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from gradmote.errors import DataError

from . import csv_file

Array = np.ndarray[Any, Any]

#: The errors of numpy and zipfile for files that are damaged or claim more than the memory.
_UNREADABLE = (
    OSError, ValueError, EOFError, SyntaxError, BadZipFile, zlib.error, NotImplementedError, MemoryError, KeyError,
    RuntimeError, RecursionError, TypeError, OverflowError, UnicodeError,
)  # fmt: skip
_NPY, _NPZ = b"\x93NUMPY", b"PK"
_TEXT = (".csv", ".tsv", ".txt")
_FORMATS = "give an .npz with arrays x and y, an .npy with --labels, or a .csv whose last column is the label"


def read_arrays(path: Path, labels: Path | None = None, label_column: str | None = None) -> dict[str, Array]:
    """Return the arrays of a file by name, in dtypes that boards take.

    An .npz has all of them; an .npy is x; a .csv is x and y. labels: a file of y alone.
    label_column: the name of a .csv's column with the labels; the last one by default.
    """
    kind = kind_of(path)
    if label_column is not None and (kind != "csv" or labels is not None):
        raise DataError("a column of labels goes with a .csv and without a file of labels", "leave out one of them")
    if kind == "npz":
        arrays = read_npz(path)
    elif kind == "npy":
        arrays = {"x": read_npy(path)}
    else:
        arrays = {"x": csv_file.read_columns(path)} if labels else csv_file.read_samples(path, label_column)
    if labels is not None:
        if "y" in arrays:
            raise DataError(f"{path} has an array y, and {labels} is given too", "give the labels once")
        arrays["y"] = read_labels(labels)
    return {name: narrowed(array, name) for name, array in arrays.items()}


def kind_of(path: Path) -> str:
    """Return "npz", "npy" or "csv", by the file's first bytes, else by its name."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_NPY))
    except OSError as error:
        raise DataError(f"cannot read {path} ({error})", _FORMATS) from error
    if start == _NPY:
        return "npy"
    if start.startswith(_NPZ):
        return "npz"
    if path.suffix.lower() in _TEXT:
        return "csv"
    raise DataError(f"cannot read {path}: it is no .npz, .npy or .csv file", _FORMATS)


def read_labels(path: Path) -> Array:
    """Return y alone, from an .npy, a .csv with one label a row, or the array y of an .npz."""
    kind = kind_of(path)
    if kind == "csv":
        return csv_file.whole(csv_file.read_columns(path))
    if kind == "npy":
        return read_npy(path)
    arrays = read_npz(path)
    if "y" not in arrays:
        raise DataError(f"{path} has no array y; it has {sorted(arrays)}", "name it y")
    return arrays["y"]


def read_npz(path: Path) -> dict[str, Array]:
    """Return the arrays of an .npz file by name; raise DataError where it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: np.asarray(file[name]) for name in file.files}
    except _UNREADABLE as error:
        raise DataError(f"cannot read {path} ({error})", "write it with numpy.savez(path, x=..., y=...)") from error


def read_npy(path: Path) -> Array:
    """Return the array of an .npy file; raise DataError where it is damaged."""
    try:
        return np.asarray(np.load(path, allow_pickle=False))
    except _UNREADABLE as error:
        raise DataError(f"cannot read {path} ({error})", "write numbers with numpy.save(path, array)") from error


def narrowed(array: Array, name: str) -> Array:
    """Return the array as float32 or int32; bytes stay.

    Other floats become float32, other integers and truth values int32. Raises DataError where a
    number lies outside the range of that dtype.
    """
    if array.dtype in (np.float32, np.uint8):
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind == "f":
        limits, wanted = np.finfo(np.float32), np.dtype(np.float32)
    elif array.dtype.kind in "iub":
        limits, wanted = np.iinfo(np.int32), np.dtype(np.int32)  # type: ignore[assignment]
    else:
        raise DataError(f"{name} is {array.dtype}", "store numbers: float32 or float64, integers, or bytes (uint8)")
    numbers = array.astype(np.int8) if array.dtype.kind == "b" else array
    beyond = np.isfinite(numbers) & ((numbers < limits.min) | (numbers > limits.max))
    if beyond.any():
        position = np.unravel_index(int(beyond.argmax()), beyond.shape)
        where = f"{name}[{', '.join(map(str, position))}]" if position else name
        raise DataError(
            f"{where} is {numbers[position]}, which {wanted} does not hold", "scale the data, or leave it out"
        )
    return numbers.astype(wanted)
