"""Samples from an .npz file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gradmote.errors import DataError

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Dataset:
    """x: (samples, ...) float32, or uint8 that stands for (x - zero) * scale. y: (samples, ...) class indices or
    float32 targets. x_test and y_test: the same, or None."""

    x: Array
    y: Array
    x_test: Array | None = None
    y_test: Array | None = None
    scale: float = 1.0
    zero: float = 0.0

    def __post_init__(self) -> None:
        _check_pair(self.x, self.y, "x", "y")
        if (self.x_test is None) != (self.y_test is None):
            raise DataError("only one of x_test and y_test is there", "give both or none")
        if self.x_test is not None and self.y_test is not None:
            _check_pair(self.x_test, self.y_test, "x_test", "y_test")

    @classmethod
    def read(cls, path: Path) -> Dataset:
        """Reads x, y and where present x_test, y_test, scale, zero."""
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        except (OSError, ValueError, EOFError) as error:
            raise DataError(f"cannot read {path} ({error})", "write it with numpy.savez(path, x=..., y=...)") from error
        missing = {"x", "y"} - set(arrays)
        if missing:
            raise DataError(f"{path} has no array {sorted(missing)}; it has {sorted(arrays)}", "name them x and y")
        scalars = {name: float(arrays[name]) for name in ("scale", "zero") if name in arrays}
        return cls(arrays["x"], arrays["y"], arrays.get("x_test"), arrays.get("y_test"), **scalars)


def _check_pair(x: Array, y: Array, x_name: str, y_name: str) -> None:
    if x.dtype not in (np.float32, np.uint8):
        raise DataError(f"{x_name} is {x.dtype}", f"store {x_name}.astype('float32'), or uint8 with scale and zero")
    if y.dtype != np.float32 and y.dtype.kind not in "iu":
        raise DataError(f"{y_name} is {y.dtype}", "store class indices as integers, or targets as float32")
    if len(x) != len(y) or len(x) == 0:
        raise DataError(f"{x_name} has {len(x)} samples and {y_name} {len(y)}", "give as many of both, one at least")
