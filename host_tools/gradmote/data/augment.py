"""Random changes of the samples that train, made on the host: the target gets other bytes, and computes as always.

A sample's numbers come from Philox, a counter-based generator, with the seed as its key and the epoch and
the sample as its counter. They are the same on every target, with any batch, and after any break.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from ..errors import DataError
from .dataset import Array, Dataset

#: The layouts by rank, the default first, and the names of the axes along which samples move.
LAYOUTS = {4: ("NCHW", "NHWC"), 3: ("NCT", "NTC")}
_PLACES = {"H": "height", "W": "width", "T": "time"}
_USE = "noise:0.05,scale:0.1,shift:2,crop:2,flip"


@dataclass(frozen=True)
class Augmentation:
    """The changes of each sample, in the order of crop, flip, shift, scale, noise. 0 and False do nothing.

    Attributes:
        noise: The standard deviation of normal noise, added to each number, in the unit of the model's input.
        scale: The factor of all numbers of a sample is between 1 - scale and 1 + scale; below 1.
        shift: The most places by which a sample moves along each axis, either way; its edge is repeated.
        crop: The most places by which a window of the sample is shorter along each axis; it is stretched to
            the sample's size, with linear interpolation.
        flip: Whether every other picture, by chance, is mirrored from left to right.
        layout: The axes of the input: NCHW or NHWC for pictures, NCT or NTC for series; "" is the first of each.
    """

    noise: float = 0.0
    scale: float = 0.0
    shift: int = 0
    crop: int = 0
    flip: bool = False
    layout: str = ""

    def __post_init__(self) -> None:
        """Raise DataError for a number that is none of these."""
        if not (0 <= self.noise < math.inf and 0 <= self.scale < 1):
            raise DataError(f"augmentation {self}", "noise is at least 0, and scale 0 to 1")
        if self.shift < 0 or self.crop < 0 or self.layout not in ("", *LAYOUTS[4], *LAYOUTS[3]):
            raise DataError(f"augmentation {self}", "shift and crop are at least 0, layout NCHW, NHWC, NCT or NTC")

    @classmethod
    def parse(cls, text: str) -> Augmentation:
        """Return what a text names: `noise:0.05,shift:2,flip`. Raises DataError."""
        found: dict[str, float | int | bool | str] = {}
        for part in text.split(","):
            name, colon, value = part.strip().partition(":")
            if name not in _READ or name in found or bool(colon) == (name == "flip"):
                raise DataError(f"--augment {text}: '{part}' is nothing it takes once", f"use {_USE}")
            try:
                found[name] = _READ[name](value)
            except ValueError as error:
                raise DataError(f"--augment {text}: {name} takes no '{value}'", f"use {_USE}") from error
            if not found[name]:
                raise DataError(f"--augment {text}: {part} does nothing", "leave it out")
        if found.keys() <= {"layout"}:
            raise DataError(f"--augment {text} changes nothing", f"use {_USE}")
        return cls(**found)  # type: ignore[arg-type]

    def __str__(self) -> str:
        """Return the text that parse() reads."""
        given = [(field.name, getattr(self, field.name)) for field in fields(self)]
        return ",".join("flip" if value is True else f"{name}:{value}" for name, value in given if value)

    @property
    def moves(self) -> bool:
        """Whether numbers change their places."""
        return bool(self.shift or self.crop or self.flip)


_READ: dict[str, Callable[[str], float | int | bool | str]] = {
    "noise": float, "scale": float, "shift": int, "crop": int, "flip": lambda _: True, "layout": str,
}  # fmt: skip


class Augmenter:
    """Changes the samples of one data set for one model."""

    def __init__(self, wanted: Augmentation, data: Dataset, shape: tuple[int, ...], dtype: str, seed: int = 0) -> None:
        """Raise DataError for what the samples or the model's input do not allow.

        shape, dtype: those of the model's first input, (batch, ...); the data is in that dtype, or in bytes.
        """
        self.wanted, self.data, self.shape, self.seed = wanted, data, shape[1:], seed
        self.layout, self.axes = _axes(wanted, shape) if wanted.moves else ("", ())
        _require_numbers(wanted, data, dtype)
        self._require_room()
        self._require_labels_that_stay()

    def __call__(self, epoch: int, rows: Array) -> Array:
        """Return the samples of these rows as they are in an epoch, in the dtype and shape of the data."""
        return np.stack([self.changed(epoch, int(row)) for row in rows])

    def changed(self, epoch: int, row: int) -> Array:
        """Return one sample as it is in an epoch."""
        random = np.random.Generator(np.random.Philox(key=self.seed, counter=[0, 0, row, epoch]))
        sample = self.data.x[row]
        numbers = sample.reshape(self.shape)
        if self.wanted.moves:
            numbers = self._moved(numbers, random)
        if self.wanted.scale or self.wanted.noise:
            numbers = self._louder(numbers, random)
        return _as_before(numbers, sample)

    def said(self) -> str:
        """Return a sentence on what changes, and along which axes."""
        if not self.axes:
            return f"augments by {self.wanted}"
        names = " and ".join(f"axis {axis + 1} as {_PLACES[self.layout[axis + 1]]}" for axis in self.axes)
        shape = f"[N, {', '.join(map(str, self.shape))}]"
        return f"augments by {self.wanted}, and takes of the input {shape} {names} ({self.layout})"

    # ---- Changes ---------------------------------------------------------------------------------------------

    def _moved(self, numbers: Array, random: np.random.Generator) -> Array:
        """Return the sample cropped, flipped and shifted; bytes become real numbers by a crop."""
        if self.wanted.crop:
            shorter = int(random.integers(self.wanted.crop + 1))
            for axis in self.axes:
                numbers = _stretched(numbers, axis, int(random.integers(shorter + 1)), shorter)
        if self.wanted.flip and random.integers(2):
            numbers = np.flip(numbers, self.axes[-1])
        if self.wanted.shift:
            for axis in self.axes:
                by = int(random.integers(-self.wanted.shift, self.wanted.shift + 1))
                places = np.clip(np.arange(numbers.shape[axis]) - by, 0, numbers.shape[axis] - 1)
                numbers = numbers.take(places, axis)
        return numbers

    def _louder(self, numbers: Array, random: np.random.Generator) -> Array:
        """Return the sample scaled and with noise; bytes count as what they represent."""
        factor, zero = (self.data.scale, self.data.zero) if self.data.x.dtype == np.uint8 else (1.0, 0.0)
        real = (numbers.astype(np.float64) - zero) * factor
        real = real * random.uniform(1 - self.wanted.scale, 1 + self.wanted.scale) if self.wanted.scale else real
        real = real + self.wanted.noise * random.standard_normal(real.shape) if self.wanted.noise else real
        return np.asarray(real / factor + zero)

    # ---- Checks ----------------------------------------------------------------------------------------------

    def _require_room(self) -> None:
        for axis in self.axes:
            most = max(self.wanted.shift, self.wanted.crop)
            if 2 * most > self.shape[axis]:
                raise DataError(
                    f"--augment {self.wanted}: axis {axis + 1} of the input has {self.shape[axis]} places",
                    "shift and crop by at most half of them",
                )

    def _require_labels_that_stay(self) -> None:
        """Raise DataError if another array has a value for each place, which would not move along."""
        places = tuple(self.shape[axis] for axis in self.axes)
        for name, array in (("y", self.data.y), *self.data.more.items()):
            if places and array is not None and _has_places(array.shape[1:], places):
                raise DataError(
                    f"--augment {self.wanted} moves x, and '{name}' {list(array.shape)} with a value for each place "
                    "would not move along",
                    "use noise and scale, or give the data with its changes",
                )


def _axes(wanted: Augmentation, shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """Return the layout of the input, and the axes of a sample along which it moves. Raises DataError."""
    known = LAYOUTS.get(len(shape), ())
    if not known or (wanted.layout and wanted.layout not in known):
        layout = f" with the layout {wanted.layout}" if wanted.layout else ""
        raise DataError(
            f"--augment {wanted}: the input {list(shape)}{layout} is neither a picture (NCHW, NHWC) nor a series "
            "(NCT, NTC)",
            "use noise and scale, or a model that takes pictures or series",
        )
    if not wanted.layout and _looks_last(shape):
        raise DataError(
            f"--augment {wanted}: the input {list(shape)} may be {known[0]} or {known[1]}",
            f"say which: --augment {wanted},layout:{known[0]} or layout:{known[1]}",
        )
    layout = wanted.layout or known[0]
    if wanted.flip and "W" not in layout:
        raise DataError(f"--augment {wanted}: flip mirrors pictures, and the input is a series", "leave it out")
    return layout, tuple(index for index, name in enumerate(layout[1:]) if name in _PLACES)


def _looks_last(shape: tuple[int, ...]) -> bool:
    """Return whether channels may be on the last axis: fewer there than on axis 1."""
    return shape[-1] < shape[1]


def _require_numbers(wanted: Augmentation, data: Dataset, dtype: str) -> None:
    """Raise DataError for indices, and for quantized numbers that would have to get a unit."""
    if dtype == "int32":
        raise DataError(f"--augment {wanted}: the input takes whole numbers, such as tokens", "leave it out")
    if dtype != "float32" and (wanted.noise or wanted.scale):
        raise DataError(
            f"--augment {wanted}: the input takes quantized numbers ({dtype})", "use shift, crop and flip alone"
        )
    if data.x.dtype == np.uint8 and (wanted.noise or wanted.scale) and not data.scale:
        raise DataError(f"--augment {wanted}: the bytes of x have scale 0, and stand for 0", "give their scale")


def _has_places(shape: tuple[int, ...], places: tuple[int, ...]) -> bool:
    """Return whether an array has these lengths side by side among its axes, or a number for each place."""
    return math.prod(shape) == math.prod(places) or any(shape[k : k + len(places)] == places for k in range(len(shape)))


def _stretched(numbers: Array, axis: int, first: int, shorter: int) -> Array:
    """Return the window that begins at `first`, so much shorter than the axis, at the axis's length."""
    count = numbers.shape[axis]
    at = first + np.arange(count) * ((count - 1 - shorter) / (count - 1)) if count > 1 else np.zeros(1)
    low = np.minimum(at.astype(np.int64), count - 1)
    share = (at - low).reshape([-1 if k == axis else 1 for k in range(numbers.ndim)])
    left, right = (numbers.take(np.minimum(low + k, count - 1), axis).astype(np.float64) for k in (0, 1))
    return np.asarray(left * (1 - share) + right * share)


def _as_before(numbers: Array, sample: Array) -> Array:
    """Return numbers in the dtype and shape of a sample, integers rounded and within its range."""
    if sample.dtype.kind in "iu" and numbers.dtype != sample.dtype:
        limits = np.iinfo(sample.dtype)
        numbers = np.clip(np.rint(numbers), limits.min, limits.max)
    return numbers.astype(sample.dtype).reshape(sample.shape)
