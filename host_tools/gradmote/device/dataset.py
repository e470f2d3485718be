"""Samples from an .npz file."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from gradmote.errors import DataError

Array = np.ndarray[Any, Any]

#: What numpy and zipfile raise for files that are damaged, or claim arrays larger than the memory.
_UNREADABLE = (OSError, ValueError, EOFError, SyntaxError, BadZipFile, zlib.error, NotImplementedError, MemoryError)


@dataclass(frozen=True)
class Dataset:
    """x: (samples, ...) float32, or uint8 that stands for (x - zero) * scale. y: (samples, ...) class indices or
    float32 targets; None where the loss takes no labels. x_test and y_test: the same, or None. more and more_test: the
    model's further inputs and labels by their names, such as a mask or the second input of a pair."""

    x: Array
    y: Array | None
    x_test: Array | None = None
    y_test: Array | None = None
    scale: float = 1.0
    zero: float = 0.0
    more: Mapping[str, Array] = field(default_factory=dict)
    more_test: Mapping[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_pair(self.x, self.y, "x", "y")
        if (self.x_test is None) != (self.y_test is None) and (self.y is not None or self.y_test is not None):
            raise DataError("only one of x_test and y_test is there", "give both or none")
        if self.x_test is not None:
            _check_pair(self.x_test, self.y_test, "x_test", "y_test")

    def without_test(self) -> Dataset:
        """Only what is trained on: fit() then does not test after each epoch, which takes a board its time."""
        return replace(self, x_test=None, y_test=None, more_test={})

    def widened(self) -> Array:
        """x as float32, by the arithmetic that a board does with bytes."""
        if self.x.dtype == np.float32:
            return self.x
        return (self.x.astype(np.float32) - np.float32(self.zero)) * np.float32(self.scale)

    @classmethod
    def read(cls, path: Path) -> Dataset:
        """Reads x and y, where present x_test, y_test, scale and zero, and whatever else there is as more and, where
        its name ends with _test, as more_test."""
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        except _UNREADABLE as error:
            raise DataError(f"cannot read {path} ({error})", "write it with numpy.savez(path, x=..., y=...)") from error
        if "x" not in arrays:
            missing = sorted({"x", "y"} - set(arrays))
            raise DataError(f"{path} has no array {missing}; it has {sorted(arrays)}", "name them x and y")
        x, y, x_test, y_test = arrays.pop("x"), *(arrays.pop(name, None) for name in ("y", "x_test", "y_test"))
        scale, zero = float(arrays.pop("scale", np.array(1.0))), float(arrays.pop("zero", np.array(0.0)))
        test = {name.removesuffix("_test"): arrays.pop(name) for name in list(arrays) if name.endswith("_test")}
        return cls(x, y, x_test, y_test, scale, zero, arrays, test)


def _check_pair(x: Array, y: Array | None, x_name: str, y_name: str) -> None:
    if x.dtype not in (np.float32, np.uint8):
        raise DataError(f"{x_name} is {x.dtype}", f"store {x_name}.astype('float32'), or uint8 with scale and zero")
    if y is None:
        if len(x) == 0:
            raise DataError(f"{x_name} has no samples", "give one at least")
        return
    if y.dtype != np.float32 and y.dtype.kind not in "iu":
        raise DataError(f"{y_name} is {y.dtype}", "store class indices as integers, or targets as float32")
    if len(x) != len(y) or len(x) == 0:
        raise DataError(f"{x_name} has {len(x)} samples and {y_name} {len(y)}", "give as many of both, one at least")
