"""Converts arrays to the bytes of a model's tensors, and checks rates and schedules as the runtime does."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradmote.errors import DataError, DeviceError

from .types import StoreInfo

Array = np.ndarray[Any, Any]


def tensor_bytes(data: Array, dtype: str) -> bytes:
    """Return the little-endian bytes of an array for a tensor of that dtype.

    Raises DataError if a value would change.
    """
    array = np.asarray(data)
    wanted = np.dtype(dtype).newbyteorder("<")
    if array.dtype.kind not in ("f" if dtype == "float32" else "iu"):
        raise DataError(f"{array.dtype} does not go into {dtype}", _how_to_convert(dtype))
    if dtype != "float32" and array.size and not _is_in_range(array, dtype):
        hint = "class labels must be in 0 .. classes-1" if dtype == "int32" else _how_to_convert(dtype)
        raise DataError(f"integers do not fit {8 * wanted.itemsize} bits", hint)
    return np.ascontiguousarray(array, dtype=wanted).tobytes()


def _is_in_range(array: Array, dtype: str) -> bool:
    limits = np.iinfo(dtype)
    return limits.min <= int(array.min()) <= int(array.max()) <= limits.max


def _how_to_convert(dtype: str) -> str:
    if dtype in ("int8", "uint8"):
        return (
            "give the quantized numbers, round(x / scale) + zero_point, with the scale and zero point of the model's "
            f"QuantizeLinear: array.astype('{dtype}')"
        )
    return f"convert it: array.astype('{dtype}')"


def sample_bytes(sample: Array, store: StoreInfo, dtype: str = "float32") -> bytes:
    """Return one sample in that input dtype; raise DataError if its size is wrong."""
    data = tensor_bytes(sample, dtype)
    item = np.dtype(dtype).itemsize
    if len(data) != item * store.elements:
        raise DataError(f"a sample has {store.elements} elements, {len(data) // item} were given", "pass one sample")
    return data


def no_samples(role: str, index: int, lasts: bool) -> DeviceError:
    """Return the error for a run before which the input or label was not written.

    lasts: whether the tensor keeps its values during a run.
    """
    when = "before running" if lasts else "before each run: the image overwrites inputs"
    return DeviceError(f"there are no samples for {role} {index}", f"write them {when}")


# ---- The learning rates and schedules that the runtime accepts -------------------------------------------------------

#: The largest float32.
LARGEST_RATE = (2 - 2**-23) * 2.0**127


def check_rate(rate: float) -> None:
    """Raise DataError for a learning rate that the runtime refuses."""
    if not 0.0 <= rate <= LARGEST_RATE:  # NaN fails too
        raise DataError(f"the learning rate is {rate:g}", "it must be finite, and 0 or more")


def check_schedule(rate: float, warmup_steps: int, total_steps: int) -> None:
    """Raise DataError for a linear schedule that the runtime refuses."""
    check_rate(rate)
    if total_steps == 0:
        raise DataError("the schedule has no steps", "give the number of steps after which the rate is 0")
    if warmup_steps > total_steps:
        raise DataError(
            f"the rate would rise for {warmup_steps} steps, but there are {total_steps}", "let it rise for fewer"
        )
