"""The places of inputs and labels in the arena, and how data gets there: most of what a small step costs from Python.

Item type and shape of each array are checked in each call. numpy takes several times longer to describe an array to a
memoryview than to say its dtype and shape; so a place knows the dtype again that it took last.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from gradmote.errors import DataError

from .arrays import F32, I32, tensor_bytes
from .tensors import PROGRAMS, Tensor


class Place:
    """Where one input or label lies. given: since the last run that may have written over it; or it lasts."""

    __slots__ = ("copy", "dtype", "given", "memmove", "narrow", "ndarray", "pointer", "shape", "size", "tensor", "view")

    def __init__(self, ffi: Any, lib: Any, memory: memoryview, tensor: Tensor) -> None:
        """memory: the arena."""
        self.tensor, self.given = tensor, tensor.lasts
        self.view = memory[tensor.offset : tensor.offset + tensor.size]
        self.pointer = ffi.from_buffer(self.view)
        self.shape, self.size = tensor.shape, tensor.size
        self.memmove, self.narrow = ffi.memmove, lib.gm_host_narrow
        #: copy(pointer, array, size) takes an array of this type, this dtype and the tensor's shape.
        self.ndarray: Any = None
        self.dtype: Any = None
        self.copy: Any = None

    def take(self, data: Any) -> None:
        """Copies any data here. DataError where it is not what the tensor takes; then nothing has changed."""
        tensor = self.tensor
        self.view[:] = tensor_bytes(data, tensor.dtype, tensor.shape, tensor.size, tensor.title)

    def take_first(self, data: Any, elements: int) -> None:
        """The same of one sample, float32, which becomes the first of the batch."""
        what = f"one sample of {self.tensor.title}"
        self.view[: 4 * elements] = tensor_bytes(data, F32, (elements,), 4 * elements, what)
        self.given = True

    def remember(self, data: Any) -> None:
        """That it took this, where it is one of numpy's arrays. (numpy is never imported for it.)"""
        numpy = sys.modules.get("numpy")
        if numpy is None or type(data) is not numpy.ndarray or not data.dtype.isnative:
            return
        copies = {(F32, "f4"): self.memmove, (I32, "i4"): self.memmove, (I32, "i8"): self._narrow}
        self.copy = copies.get((self.tensor.dtype, data.dtype.str[1:]))
        self.ndarray, self.dtype = (numpy.ndarray, data.dtype) if self.copy else (None, None)

    def _narrow(self, pointer: Any, data: Any, size: int) -> None:
        """int32 from int64. ValueError where a value does not fit."""
        if self.narrow(pointer, data.tobytes(), size):
            raise ValueError


class Places:
    """Of all inputs and labels of an image, in its order."""

    def __init__(self, ffi: Any, lib: Any, memory: memoryview, by_role: dict[str, list[Tensor]]) -> None:
        self.inputs = [Place(ffi, lib, memory, tensor) for tensor in by_role["input"]]
        self.labels = [Place(ffi, lib, memory, tensor) for tensor in by_role["label"]]
        self.all = self.inputs + self.labels
        self.fleeting = [place for place in self.all if not place.tensor.lasts]
        self._fleeting_in = {name: [p for p in self.fleeting if name in p.tensor.programs] for name in PROGRAMS}

    def use(self, program: str) -> None:
        """What a run may write over must have been given since the last one."""
        need_given(self._fleeting_in[program])
        self.forget()

    def forget(self) -> None:
        """After a run that may have written over what does not last."""
        for place in self.fleeting:
            place.given = False


def feed(places: Sequence[Place], data: Sequence[Any]) -> None:
    """Copies an array to each of these places. DataError where one is not what its tensor takes."""
    if len(data) != len(places):
        wanted = ", ".join(place.tensor.title for place in places)
        raise DataError(f"{len(data)} arrays were given", f"pass {len(places)}: {wanted}; or none")
    for place, item in zip(places, data):
        if type(item) is place.ndarray and item.dtype is place.dtype and item.shape == place.shape:
            try:
                place.copy(place.pointer, item, place.size)
            except ValueError:  # it is not contiguous, or a value lies outside of int32
                place.take(item)
        else:
            place.take(item)
            place.remember(item)
        place.given = True


def need_given(places: Sequence[Place]) -> None:
    """DataError where data is missing that a run has written over."""
    for place in places:
        if not place.given:
            hint = "give it for each run, or compile without overwrite_inputs"
            raise DataError(f"{place.tensor.title} is not there: the image overwrites inputs", hint)
