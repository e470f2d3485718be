"""Checks the arrays for a Module, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from ..errors import DataError


@dataclass(frozen=True)
class Input:
    """One input of a model.

    dims: sizes; names or None if they are symbolic.
    """

    name: str
    floating: bool
    dims: tuple[int | str | None, ...]


@dataclass(frozen=True)
class Sizes:
    """The sizes determined by the data: samples in this call, and other symbolic dimensions."""

    batch: int
    dims: tuple[tuple[str, int], ...] = ()


def user_inputs(model: ir.Model) -> list[Input]:
    """Return data and labels, without the parameters, which are inputs too."""
    return [describe(value) for value in model.graph.inputs if not value.is_initializer()]


def describe(value: ir.Value) -> Input:
    """Return the name, kind of type, and dimensions of a model's input."""
    dims = (d if isinstance(d, int) else d.value for d in value.shape or ())
    return Input(str(value.name), value.dtype == ir.DataType.FLOAT, tuple(dims))


def like_inputs(results: Any, given: Sequence[Any]) -> Any:
    """Return results like onnxruntime: as OrtValues if all inputs are OrtValues, otherwise as arrays.

    results: an array or a tuple of arrays.
    """
    makers = [getattr(type(value), "ortvalue_from_numpy", None) for value in given]
    if not makers or not all(makers):
        return results
    if isinstance(results, tuple):
        return tuple(makers[0](array) for array in results)  # type: ignore[misc]
    return makers[0](results)  # type: ignore[misc]


def as_array(value: Any) -> np.ndarray:
    """Return a numpy array unchanged, or the .numpy() of an OrtValue or a torch tensor."""
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def check(inputs: Sequence[Input], arrays: Sequence[np.ndarray]) -> Sizes:
    """Return the sizes determined by the arrays.

    Raises DataError if their number, a dtype or a shape does not fit.
    """
    if len(arrays) != len(inputs):
        raise DataError(f"{len(arrays)} arrays were given", f"pass {len(inputs)}: {', '.join(i.name for i in inputs)}")
    batches: dict[int, str] = {}
    dims: dict[str, int] = {}
    for expected, array in zip(inputs, arrays, strict=True):
        check_dtype(expected, array)
        check_shape(expected, array, dims)
        if array.ndim and not isinstance(expected.dims[0], int):
            batches.setdefault(array.shape[0], expected.name)
    if len(batches) > 1:
        raise DataError("the inputs differ in batch: " + ", ".join(f"'{n}' has {b}" for b, n in batches.items()))
    fixed = next((i.dims[0] for i in inputs if i.dims and isinstance(i.dims[0], int)), 1)
    return Sizes(next(iter(batches), int(fixed or 1)), tuple(sorted(dims.items())))


def check_dtype(expected: Input, array: np.ndarray) -> None:
    """Raise DataError unless the array is float32, or an integer for an integer input."""
    fits = array.dtype == np.float32 if expected.floating else array.dtype.kind in "iu"
    if not fits:
        wanted = "float32" if expected.floating else "integers"
        raise DataError(f"'{expected.name}' takes {wanted}, not {array.dtype}", "convert it with .astype()")


def check_shape(expected: Input, array: np.ndarray, dims: dict[str, int]) -> None:
    """Raise DataError unless the array has the input's shape.

    Adds the sizes of named dimensions other than the batch to `dims`.
    """
    wanted = [d if d is not None else "?" for d in expected.dims]
    given = list(array.shape)
    fits = len(given) == len(wanted) and 0 not in given
    for axis, (want, have) in enumerate(zip(wanted, given)):
        if isinstance(want, str) and axis and want != "?":
            want = dims.setdefault(want, have)
        fits = fits and (want == have or isinstance(want, str))
    if not fits:
        raise DataError(f"'{expected.name}' takes shape {wanted}; {given} was given")
