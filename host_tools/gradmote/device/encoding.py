"""The bytes of a model's tensors, made from arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradmote.errors import DataError, DeviceError

from .types import StoreInfo

Array = np.ndarray[Any, Any]


def tensor_bytes(data: Array, dtype: str) -> bytes:
    """Return the little-endian bytes of an array for a tensor of that dtype.

    Raises DataError where a value would change.
    """
    array = np.asarray(data)
    wanted = np.dtype(dtype).newbyteorder("<")
    if array.dtype.kind not in ("f" if dtype == "float32" else "iu"):
        raise DataError(f"{array.dtype} does not go into {dtype}", f"convert it: array.astype('{dtype}')")
    if dtype == "int32" and array.size and not -(2**31) <= int(array.min()) <= int(array.max()) < 2**31:
        raise DataError("integers do not fit 32 bits", "class labels must lie in 0 .. classes-1")
    return np.ascontiguousarray(array, dtype=wanted).tobytes()


def sample_bytes(sample: Array, store: StoreInfo) -> bytes:
    """Return one sample as a store takes it; raise DataError where it has another size."""
    data = tensor_bytes(sample, "float32")
    if len(data) != 4 * store.elements:
        raise DataError(f"a sample has {store.elements} elements, {len(data) // 4} were given", "pass one sample")
    return data


def no_samples(role: str, index: int, lasts: bool) -> DeviceError:
    """Return the error for a run whose input or label was not written.

    lasts: whether the tensor keeps its values during a run.
    """
    when = "before running" if lasts else "before each run: the image overwrites inputs"
    return DeviceError(f"there are no samples for {role} {index}", f"write them {when}")
