"""Convert the caller's arrays to a tensor's bytes."""

from __future__ import annotations

import os
import sys
from array import array
from typing import Any

from gradmote.errors import DataError

F32, I32, I8, U8, I16 = range(5)

#: Item codes of memoryview for each dtype, and its name in messages.
ITEM_CODE = {F32: "f", I32: "i", I8: "b", U8: "B", I16: "h"}
DTYPE_NAME = {F32: "float32", I32: "int32", I8: "int8", U8: "uint8", I16: "int16"}
ITEM_SIZE = {F32: 4, I32: 4, I8: 1, U8: 1, I16: 2}

_SIGNED = "bhilq"
_UNSIGNED = "BHILQ"
_CODE_OF_WIDTH = {1: "b", 2: "h", 4: "i", 8: "q"}
_NATIVE_PREFIXES = "@=<" if sys.byteorder == "little" else "@=>"
_CODE_NAMES = {"d": "float64", "e": "float16", "?": "bool", "f": "float32"}
_KIND_NAMES = {**dict.fromkeys(_SIGNED, "int"), **dict.fromkeys(_UNSIGNED, "uint")}


def tensor_bytes(data: Any, dtype: int, shape: tuple[int, ...], size: int, what: str) -> memoryview:
    """Return the `size` bytes of a tensor, in C order.

    data: a buffer of float32 for F32; of any integer type for the others, range-checked; or `size` raw bytes. what: the
    tensor's name in messages. Raises DataError for data that does not fit.
    """
    view = buffer_of(data, what)
    if view.shape == shape and shape and view.c_contiguous:  # the usual case, which takes less than a microsecond
        if view.format == ITEM_CODE[dtype]:
            return view.cast("B")
        if view.format in ("l", "q") and dtype == I32 and len(shape) == 1:
            return _packed(view.tolist(), what)
    code = view.format.lstrip(_NATIVE_PREFIXES) if view.format else "B"
    if _are_raw_bytes(data, code, dtype) and view.nbytes == size:
        return _contiguous(view)
    if code == ITEM_CODE[dtype]:
        _check_shape(view, shape, size // ITEM_SIZE[dtype], what)
        return _contiguous(view)
    if dtype != F32 and len(code) == 1 and code in _SIGNED + _UNSIGNED:
        _check_shape(view, shape, size // ITEM_SIZE[dtype], what)
        return _integers(view, code in _UNSIGNED, dtype, what)
    if code.endswith(("w", "s")):
        raise DataError(f"{what} takes {DTYPE_NAME[dtype]}, not text", "give numbers: for a class its index")
    raise DataError(f"{what} takes {DTYPE_NAME[dtype]}, not {_name_of(view, code)}", _how_to_convert(dtype))


def _name_of(view: memoryview, code: str) -> str:
    """Return the type of a buffer's items for messages."""
    if code in _KIND_NAMES:
        return f"{_KIND_NAMES[code]}{8 * view.itemsize}"
    return _CODE_NAMES.get(code, f"items of format {view.format!r}")


def _are_raw_bytes(data: Any, code: str, dtype: int) -> bool:
    """Return whether a buffer may be taken as the raw bytes of a tensor.

    An array of 8-bit numbers is not the raw bytes of such a tensor, because signedness may differ.
    """
    return code in "Bbc" and (ITEM_SIZE[dtype] != 1 or isinstance(data, (bytes, bytearray, memoryview)))


def _how_to_convert(dtype: int) -> str:
    if dtype in (I8, U8):
        return (
            "give the quantized numbers, round(x / scale) + zero_point, with the scale and zero point of the model's "
            f"QuantizeLinear, as numpy's {DTYPE_NAME[dtype]}"
        )
    return f"convert it, for instance with numpy's .astype('{DTYPE_NAME[dtype]}')"


def buffer_of(data: Any, what: str) -> memoryview:
    """Return a memoryview of an object with the buffer protocol.

    Raises DataError for any other object.
    """
    try:
        return memoryview(data)
    except TypeError as error:
        raise DataError(
            f"{what} takes an object with the buffer protocol, not {type(data).__name__}", _how_to_buffer(data)
        ) from error


def _how_to_buffer(data: Any) -> str:
    """Return how to pass an object that is not a buffer."""
    if isinstance(data, (str, os.PathLike)):
        return "pass the file's bytes: open(path, 'rb').read()"
    if isinstance(getattr(data, "image", None), bytes):  # what compile_model() returns
        return "pass its bytes: .image"
    if callable(getattr(data, "numpy", None)):  # a tensor of PyTorch or TensorFlow
        return "pass it as a numpy array: tensor.numpy()"
    if callable(getattr(data, "to_numpy", None)):  # a table of pandas or polars
        return "pass it as a numpy array: its to_numpy()"
    return "pass bytes, array.array, a memoryview or a numpy array"


def _contiguous(view: memoryview) -> memoryview:
    return view.cast("B") if view.c_contiguous and view.ndim else memoryview(view.tobytes())


def _check_shape(view: memoryview, shape: tuple[int, ...], count: int, what: str) -> None:
    """Raise DataError for a wrong number of elements, or for a wrong order of axes."""
    given = view.shape or ()
    elements = view.nbytes // view.itemsize
    if elements != count:
        raise DataError(f"{what} has shape {list(shape)}, {count} elements; {elements} were given")
    if len(given) == len(shape) and given != shape:
        raise DataError(f"{what} has shape {list(shape)}; {list(given)} was given", "transpose or reshape it")


def _integers(view: memoryview, unsigned: bool, dtype: int, what: str) -> memoryview:
    """Convert integers of another type to a tensor's.

    Raises DataError if a value does not fit.
    """
    code = _CODE_OF_WIDTH[view.itemsize]
    values = memoryview(view.tobytes()).cast(code.upper() if unsigned else code).tolist()  # type: ignore[call-overload]
    return _packed(values, what, dtype)


def _packed(values: list[int], what: str, dtype: int = I32) -> memoryview:
    try:
        return memoryview(array(ITEM_CODE[dtype], values)).cast("B")
    except OverflowError as error:
        hint = "use smaller values" if dtype == I32 else _how_to_convert(dtype)
        raise DataError(f"{what} takes {DTYPE_NAME[dtype]}; a value is out of range", hint) from error
