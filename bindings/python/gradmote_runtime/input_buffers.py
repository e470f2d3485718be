"""The memory of inputs and labels in the arena, and the copying of arrays into it.

This is most of the cost of a small step from Python. Each call checks item type and shape of each array. numpy takes
several times longer to make a memoryview of an array than to return its dtype and shape, so an InputBuffer remembers
the dtype of the last array.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from gradmote.errors import DataError

from .aligned_memory import Memory
from .arrays import F32, I8, I32, ITEM_SIZE, U8, tensor_bytes
from .tensors import PROGRAMS, Tensor


class InputBuffer:
    """The memory of one input or label.

    given: it holds data, and no run since then may have overwritten it; always true for a tensor that lasts.
    """

    __slots__ = ("copy", "dtype", "given", "memmove", "narrow", "ndarray", "pointer", "shape", "size", "tensor", "view")

    def __init__(self, ffi: Any, lib: Any, memory: Memory, tensor: Tensor) -> None:
        """Refer to the tensor's bytes in `memory`, the arena."""
        self.tensor, self.given = tensor, tensor.lasts
        self.view = memory.view[tensor.offset : tensor.offset + tensor.size]
        self.pointer = memory.pointer + tensor.offset
        self.shape, self.size = tensor.shape, tensor.size
        self.memmove, self.narrow = ffi.memmove, lib.unguarded("gm_host_narrow")
        #: copy(pointer, array, size) takes an array of this type, of this dtype and with the tensor's shape.
        self.ndarray: Any = None
        self.dtype: Any = None
        self.copy: Any = None

    def write(self, data: Any) -> None:
        """Copy any data into the memory.

        Raises DataError, and changes nothing, for data that the tensor does not accept.
        """
        tensor = self.tensor
        self.view[:] = tensor_bytes(data, tensor.dtype, tensor.shape, tensor.size, tensor.title)

    def write_first_sample(self, data: Any, elements: int) -> None:
        """Copy one sample, of the tensor's type, into the memory, as the first of the batch."""
        what, dtype = f"one sample of {self.tensor.title}", self.tensor.dtype
        size = ITEM_SIZE[dtype] * elements
        self.view[:size] = tensor_bytes(data, dtype, (elements,), size, what)
        self.given = True

    def remember_format(self, data: Any) -> None:
        """Remember type and dtype of copied data, if it is a numpy array.

        This never imports numpy.
        """
        numpy = sys.modules.get("numpy")
        if numpy is None or type(data) is not numpy.ndarray or not data.dtype.isnative:
            return
        copies = {
            (F32, "f4"): self.memmove, (I32, "i4"): self.memmove, (I32, "i8"): self._narrow,
            (I8, "i1"): self.memmove, (U8, "u1"): self.memmove,
        }  # fmt: skip
        self.ndarray = None  # first and last: feed() relies on copy and dtype once ndarray is set
        self.copy = copies.get((self.tensor.dtype, data.dtype.str[1:]))
        self.dtype = data.dtype
        self.ndarray = numpy.ndarray if self.copy else None

    def _narrow(self, pointer: Any, data: Any, size: int) -> None:
        """Copy int64 data as int32.

        Raises ValueError if a value does not fit.
        """
        if self.narrow(pointer, data.tobytes(), size):
            raise ValueError


class InputBuffers:
    """The memory of all inputs and labels of an image, in its order."""

    def __init__(self, ffi: Any, lib: Any, memory: Memory, by_role: dict[str, list[Tensor]]) -> None:
        """Refer to the tensors' bytes in `memory`, the arena."""
        self.inputs = [InputBuffer(ffi, lib, memory, tensor) for tensor in by_role["input"]]
        self.labels = [InputBuffer(ffi, lib, memory, tensor) for tensor in by_role["label"]]
        self.all = self.inputs + self.labels
        self.overwritable = [buffer for buffer in self.all if not buffer.tensor.lasts]
        self._overwritable_in = {name: [b for b in self.overwritable if name in b.tensor.programs] for name in PROGRAMS}

    def begin_run(self, program: str) -> None:
        """Raise DataError unless all data that the program reads was given since the last run.

        Afterwards, data that does not last counts as overwritten.
        """
        require_given(self._overwritable_in[program])
        self.mark_overwritten()

    def mark_overwritten(self) -> None:
        """Record that a run may have overwritten the data that does not last."""
        for buffer in self.overwritable:
            buffer.given = False


def feed(buffers: Sequence[InputBuffer], data: Sequence[Any]) -> None:
    """Copy an array into each of these buffers.

    Raises DataError if an array does not match its tensor.
    """
    if len(data) != len(buffers):
        wanted = ", ".join(buffer.tensor.title for buffer in buffers)
        raise DataError(f"{len(data)} arrays were given", f"pass {len(buffers)}: {wanted}; or none")
    for buffer, item in zip(buffers, data):
        if type(item) is buffer.ndarray and item.dtype is buffer.dtype and item.shape == buffer.shape:
            try:
                buffer.copy(buffer.pointer, item, buffer.size)
            except ValueError:  # it is not contiguous, or a value is outside int32
                buffer.write(item)
        else:
            buffer.write(item)
            buffer.remember_format(item)
        buffer.given = True


def require_given(buffers: Sequence[InputBuffer]) -> None:
    """Raise DataError if data is missing because a run has overwritten it."""
    for buffer in buffers:
        if not buffer.given:
            hint = "give it for each run, or compile without overwrite_inputs"
            raise DataError(f"{buffer.tensor.title} is not there: the image overwrites inputs", hint)
