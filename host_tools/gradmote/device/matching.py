"""Converts data to a model's dtypes.

The same file of numbers serves as class indices or targets, tokens or measurements.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gradmote.errors import DataError

from ..data.dataset import Array, Dataset, quantized
from .types import Tensor


def matched(data: Dataset, x: Tensor | None, y: Tensor | None) -> Dataset:
    """Return the data in the dtypes of the model's first input x and first label y.

    Integers become float32 for a float32 tensor, and whole numbers int32 for an int32 tensor.
    Quantized inputs take integers in their range. Labels in bytes stay, as classes of a single score.
    """
    if x is not None and x.dtype in ("int8", "uint8"):
        data = replace(
            data, x=quantized(data, data.x, x.name, x.dtype), x_test=quantized(data, data.x_test, x.name, x.dtype)
        )
    labels = [array if array is None or _are_bytes(array) else _as(array, y, name)
              for array, name in ((data.y, "y"), (data.y_test, "y_test"))]  # fmt: skip
    return replace(
        data, x=_as(data.x, x, "x"), y=labels[0], x_test=_as(data.x_test, x, "x_test"), y_test=labels[1]
    )  # fmt: skip


def _are_bytes(array: Array) -> bool:
    return array.dtype.kind in "iu" and array.size > 0 and 0 <= int(array.min()) <= int(array.max()) < 256


def _as(array: Any, tensor: Tensor | None, name: str) -> Any:
    if array is None or tensor is None or array.dtype in (np.uint8, tensor.dtype):
        return array
    if array.dtype.kind in "iu" and tensor.dtype == "float32":
        return array.astype(np.float32)
    if array.dtype.kind == "f" and tensor.dtype == "int32":
        return _indices(array, tensor, name)
    return array


def _indices(array: Array, tensor: Tensor, name: str) -> Array:
    wrong = (array != np.round(array)) | ~(np.abs(array) < 2**31)
    if wrong.any():
        position = np.unravel_index(int(wrong.argmax()), wrong.shape)
        raise DataError(
            f"{name}[{', '.join(map(str, position))}] is {array[position]:g}, and '{tensor.name}' takes whole numbers",
            "give class indices, or compile the model with a loss on numbers: --loss mse",
        )
    return array.astype(np.int32)
