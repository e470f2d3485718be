"""Reads dictionaries of numpy arrays from a file of torch.save(), without running anything that the file asks for.

A pickle names functions and calls them. Stand-ins replace those in an array's pickle, and only store their arguments.
Any other name is an error.
"""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np


class Dtype:
    """A stand-in for numpy.dtype. Its state says in which order the bytes of an element are."""

    def __init__(self, name: str, *_: object) -> None:
        self.name, self.order = name, "<"

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = state[1]

    def numpy(self) -> np.dtype:
        order = self.order if self.order in "<>" else "|"
        found = np.dtype(order + self.name)
        if found.kind not in "iuf":
            raise pickle.UnpicklingError(f"{self.name} is no type of numbers")
        return found


class Array:
    """A stand-in for numpy.ndarray. Its state is (version, shape, dtype, column-major, bytes)."""

    value: np.ndarray

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, dtype, column_major, data = state
        flat = np.frombuffer(data, dtype.numpy())
        self.value = flat.reshape(shape, order="F" if column_major else "C").copy()


STAND_INS = {
    ("numpy", "ndarray"): Array,
    ("numpy", "dtype"): Dtype,
    ("numpy.core.multiarray", "_reconstruct"): lambda *_: Array(),
    ("_codecs", "encode"): lambda text, encoding: str(text).encode(str(encoding)),
}


class Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return STAND_INS[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"the file asks for {module}.{name}, which no array needs") from None


def read(path: Path) -> Any:
    """Return the saved object: dictionaries, lists, numbers and arrays."""
    with zipfile.ZipFile(path) as archive:
        name = next(n for n in archive.namelist() if n.endswith("data.pkl"))
        return plain(Unpickler(io.BytesIO(archive.read(name))).load())


def plain(value: Any) -> Any:
    """Return the value with each stand-in replaced by its array."""
    if isinstance(value, Array):
        return value.value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value
