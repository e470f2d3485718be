"""Samples of models whose inputs are int8 or uint8."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError

if TYPE_CHECKING:
    from .dataset import Dataset


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
