"""The data to train and test on: samples, labels, and the model's further inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError
from .forms import load_samples
from .loaded import Array, Loaded, Origin, place_in
from .quoting import listed, named
from .reading import Reading

__all__ = ["Array", "Dataset", "quantized"]


@dataclass(frozen=True)
class Dataset:
    """Samples and everything that belongs to them.

    Attributes:
        x: The samples, (samples, ...) float32, int32, int8, or uint8 that represents
            (x - zero) * scale.
        y: The labels, (samples, ...) class indices or float32 targets; None if the loss takes none.
        x_test: The samples to test on, like x; or None.
        y_test: Their labels, like y; or None.
        scale: The factor for uint8 samples.
        zero: The uint8 value that represents 0.
        says_scale: False if a file of bytes gives no scale.
        more: The model's further inputs and labels by their names, such as a mask or the second
            input of a pair.
        more_test: The same for the samples to test on.
        classes: The names of the classes, if the labels of a file are names; otherwise None.
        notes: Sentences about changes made to the samples by reading.
        converted: Sentences about arrays of a file whose dtype was changed.
        origins: The origins of a file's arrays, by name.
    """

    x: Array
    y: Array | None
    x_test: Array | None = None
    y_test: Array | None = None
    scale: float = 1.0
    zero: float = 0.0
    says_scale: bool = field(default=True, kw_only=True)  #: False if a file of bytes gives no scale
    more: Mapping[str, Array] = field(default_factory=dict)
    more_test: Mapping[str, Array] = field(default_factory=dict)
    classes: tuple[str, ...] | None = field(default=None, kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    converted: tuple[str, ...] = field(default=(), kw_only=True)
    origins: Mapping[str, Origin] = field(default_factory=dict, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        """Raise DataError for arrays that do not match each other, or that no model takes."""
        _check_pair(self.x, self.y, "x", "y")
        if (self.x_test is None) != (self.y_test is None) and (self.y is not None or self.y_test is not None):
            raise DataError("only one of x_test and y_test is there", "give both or none")
        if self.x_test is not None:
            _check_pair(self.x_test, self.y_test, "x_test", "y_test")
        _check_more(self.more, "")
        _check_more(self.more_test, "_test")

    def without_test(self) -> Dataset:
        """Return the data without its test set, so that fit() does not test after each epoch.

        A test takes a long time on a board.
        """
        return replace(self, x_test=None, y_test=None, more_test={})

    def widened(self) -> Array:
        """Return x as float32, with the arithmetic that a board uses for bytes."""
        if self.x.dtype != np.uint8:
            return self.x.astype(np.float32, copy=False)
        return (self.x.astype(np.float32) - np.float32(self.zero)) * np.float32(self.scale)

    def place(self, name: str, index: Sequence[int]) -> str:
        """Return the name of one number's place in an array: array and index, line, or file."""
        return place_in(self.origins, name, index)

    @classmethod
    def read(
        cls, path: Path, labels: Path | None = None, label_column: str | None = None, reading: Reading | None = None
    ) -> Dataset:
        """Read an .npz, .npy or .csv file, or a folder of PNG, JPEG or WAV files by class.

        An .npz may contain x_test, y_test, scale and zero. Other arrays go to more_test if their names
        end with _test, otherwise to more. Raises DataError.

        Args:
            path: The file or folder.
            labels: A file with only y, short for `labels` of `reading`.
            label_column: The column of a table with the labels, short for `label` of `reading`.
            reading: All other settings, such as the model for the samples.
        """
        path, settings = Path(path), reading or Reading()
        settings = replace(settings, labels=labels or settings.labels, label=label_column or settings.label)
        loaded = load_samples(path, settings)
        try:
            return cls._of(loaded)
        except DataError as error:
            raise DataError(f"{named(path)}: {error.message}", error.hint) from error

    @classmethod
    def _of(cls, loaded: Loaded) -> Dataset:
        arrays = dict(loaded.arrays)
        if "x" not in arrays:
            missing = sorted({"x", "y"} - set(arrays))
            raise DataError(
                f"it has no array {missing}; it has {listed(sorted(arrays)) or 'none'}", "name them x and y"
            )
        x, y, x_test, y_test = arrays.pop("x"), *(arrays.pop(name, None) for name in ("y", "x_test", "y_test"))
        says_scale = "scale" in arrays
        scale, zero = (_number(arrays.pop(name, None), name, default) for name, default in (("scale", 1), ("zero", 0)))
        test = {name.removesuffix("_test"): arrays.pop(name) for name in list(arrays) if name.endswith("_test")}
        converted = (*loaded.converted, *_bytes_line(loaded, scale, zero))
        return cls(
            x, y, x_test, y_test, scale, zero, arrays, test, says_scale=says_scale, classes=loaded.classes,
            notes=loaded.notes, converted=converted, origins=loaded.origins,
        )  # fmt: skip


def _bytes_line(loaded: Loaded, scale: float, zero: float) -> tuple[str, ...]:
    """Return a line on what bytes represent; none if the samples are not bytes."""
    if loaded.arrays["x"].dtype != np.uint8:
        return ()
    origin = loaded.origins.get("x")
    name = f"{named(origin.path.name)}: " if origin else ""
    return (f"{name}x uint8 goes to the board as bytes, which stand for (byte - {zero:g}) * {scale:.6g}",)


def _number(array: Array | None, name: str, default: float) -> float:
    if array is None:
        return default
    if array.size != 1 or not np.isfinite(array).all():
        raise DataError(f"{name} has the shape {list(array.shape)}, or is not finite", f"store one number as {name}")
    return float(array.reshape(()))


def _check_pair(x: Array, y: Array | None, x_name: str, y_name: str) -> None:
    if x.dtype not in (np.float32, np.uint8, np.int32, np.int8):
        raise DataError(f"{x_name} is {x.dtype}", f"store {x_name}.astype('float32'), or uint8 with scale and zero")
    for array, name in ((x, x_name), (y, y_name)):
        if array is not None and (array.ndim == 0 or 0 in array.shape[1:]):
            raise DataError(f"{name} has the shape {list(array.shape)}", "store a row for each sample")
    if y is None:
        if len(x) == 0:
            raise DataError(f"{x_name} has no samples", "give at least one")
        return
    if y.dtype != np.float32 and y.dtype.kind not in "iu":
        raise DataError(f"{y_name} is {y.dtype}", "store class indices as integers, or targets as float32")
    if len(x) != len(y) or len(x) == 0:
        raise DataError(
            f"{x_name} has {len(x)} samples and {y_name} {len(y)}", "give the same number of both, at least one"
        )


def _check_more(more: Mapping[str, Array], suffix: str) -> None:
    for name, array in more.items():
        if array.ndim == 0 or 0 in array.shape:
            raise DataError(f"{name}{suffix} has the shape {list(array.shape)}", "store a row for each sample")
        if array.dtype.kind not in "fiu":
            raise DataError(f"{name}{suffix} is {array.dtype}", "store numbers")


def quantized(data: Dataset, array: Any, name: str, dtype: str) -> Any:
    """Return samples as numbers for an int8 or uint8 input; the data's zero is subtracted from bytes.

    The scale of bytes is ignored, because a quantized input has its own. Raises DataError for real
    numbers, and for integers outside of the input's range.
    """
    if array is None or array.dtype == dtype:
        return array
    limits, shift = np.iinfo(dtype), data.zero if array.dtype == np.uint8 else 0
    numbers = array.astype(np.int64) - int(shift) if array.dtype.kind in "iu" and shift == int(shift) else None
    if numbers is None or numbers.min() < limits.min or numbers.max() > limits.max:
        raise DataError(
            f"'{name}' takes {dtype}, the quantized numbers {limits.min} to {limits.max}, and the samples "
            f"are {array.dtype} from {array.min():g} to {array.max():g}",
            "give round(x / scale) + zero_point, with the scale and zero point of the model's QuantizeLinear; bytes "
            "in which 128 stands for 0 become int8 with --zero 128",
        )
    return numbers.astype(dtype)
