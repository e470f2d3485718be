"""The memory of inputs and labels in the arena, and the copying of arrays into it.

This is most of the cost of a small step from Python. Each call checks item type and shape of each array. numpy takes
several times longer to make a memoryview of an array than to return its dtype and shape, so an InputBuffer remembers
the dtype of the last array.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import prod
from typing import Any

from gradmote.errors import DataError

from .aligned_memory import Memory
from .arrays import F32, I8, I32, ITEM_SIZE, U8, buffer_of, tensor_bytes
from .tensors import PROGRAMS, Tensor


class InputBuffer:
    """The memory of one input or label.

    given: it holds data, and no run since then may have overwritten it; always true for a tensor that lasts. rows: the
    samples that it was given, 0 for the whole batch.
    """

    __slots__ = (
        "copy", "dtype", "given", "has_batch", "memmove", "narrow", "ndarray", "pointer", "rows", "shape", "size",
        "tensor", "view",
    )  # fmt: skip

    def __init__(self, ffi: Any, lib: Any, memory: Memory, tensor: Tensor, batch: int) -> None:
        """Refer to the tensor's bytes in `memory`, the arena."""
        self.tensor, self.given = tensor, tensor.lasts
        self.rows = 0
        self.has_batch = bool(tensor.rows_in) or tensor.shape[:1] == (batch,)
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

    def rows_of(self, data: Any) -> int:
        """Return how many samples the data has, if it has some but not all of the batch, else 0."""
        if not self.has_batch:
            return 0
        view = buffer_of(data, self.tensor.title)
        given = view.shape or ()
        if len(given) == len(self.shape):
            return given[0] if 0 < given[0] < self.shape[0] and given[1:] == self.shape[1:] else 0
        is_raw = view.itemsize == 1 and self.tensor.dtype == F32
        elements = view.nbytes // (ITEM_SIZE[F32] if is_raw else view.itemsize)
        rows, rest = divmod(elements, prod(self.shape[1:]))
        return rows if view.ndim == 1 and rest == 0 and 0 < rows < self.shape[0] else 0

    def write_rows(self, data: Any, rows: int, program: str | None) -> None:
        """Copy the first samples of the batch, for a program that takes fewer.

        Raises DataError, and changes nothing, if it takes whole batches, or for data that does not fit.
        """
        tensor, batch = self.tensor, self.shape[0]
        if program not in tensor.rows_in and (program or not tensor.rows_in):
            raise DataError(
                f"{tensor.title} has shape {list(self.shape)}; {rows} of {batch} samples were given",
                f"{program or 'the model'} takes whole batches",
            )
        size = self.size // batch * rows
        self.view[:size] = tensor_bytes(data, tensor.dtype, (rows, *self.shape[1:]), size, tensor.title)

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

    def __init__(self, ffi: Any, lib: Any, memory: Memory, by_role: dict[str, list[Tensor]], batch: int) -> None:
        """Refer to the tensors' bytes in `memory`, the arena."""
        self.inputs = [InputBuffer(ffi, lib, memory, tensor, batch) for tensor in by_role["input"]]
        self.labels = [InputBuffer(ffi, lib, memory, tensor, batch) for tensor in by_role["label"]]
        self.all = self.inputs + self.labels
        self.overwritable = [buffer for buffer in self.all if not buffer.tensor.lasts]
        self._overwritable_in = {name: [b for b in self.overwritable if name in b.tensor.programs] for name in PROGRAMS}

    def begin_run(self, program: str) -> None:
        """Raise DataError unless all data that the program reads was given since the last run.

        Afterwards, data that does not last counts as overwritten.
        """
        require_given(self._overwritable_in[program])
        self.mark_overwritten()

    def rows_given(self, program: str) -> int:
        """Return how many samples the program's inputs and labels have; 0: the whole batch.

        Raises DataError if they differ.
        """
        if not any(b.rows for b in self.all):
            return 0
        found = {b.rows: b for b in self.all if b.has_batch and program in b.tensor.programs}
        if len(found) > 1:
            (_, one), (_, other) = sorted(found.items(), reverse=True)[:2]
            given = other.rows or other.shape[0]
            raise DataError(
                f"{other.tensor.title} has {given} samples, {one.tensor.title} {one.rows}", "give as many of each"
            )
        return next(iter(found), 0)

    def keep_rows(self, program: str, rows: int) -> int:
        """Record that a program which counts `rows` samples has overwritten the others. Return them; 0: all."""
        counted = 0
        for buffer in self.all:
            if rows and program in buffer.tensor.rows_in:
                buffer.rows = counted = rows % buffer.shape[0]
        return counted

    def mark_overwritten(self) -> None:
        """Record that a run may have overwritten the data that does not last."""
        for buffer in self.overwritable:
            buffer.given = False


def feed(buffers: Sequence[InputBuffer], data: Sequence[Any], program: str | None = None) -> None:
    """Copy an array into each of these buffers.

    program: the one that runs next; most take fewer samples than the batch. Raises DataError if an array does not match
    its tensor.
    """
    if len(data) != len(buffers):
        wanted = ", ".join(buffer.tensor.title for buffer in buffers)
        raise DataError(f"{len(data)} arrays were given", f"pass {len(buffers)}: {wanted}; or none")
    for buffer, item in zip(buffers, data):
        buffer.rows = 0
        if type(item) is buffer.ndarray and item.dtype is buffer.dtype and item.shape == buffer.shape:
            try:
                buffer.copy(buffer.pointer, item, buffer.size)
            except ValueError:  # it is not contiguous, or a value is outside int32
                buffer.write(item)
        else:
            _write(buffer, item, program)
        buffer.given = True


def _write(buffer: InputBuffer, item: Any, program: str | None) -> None:
    """Copy an array of any form, of the whole batch or its first samples."""
    rows = buffer.rows_of(item)
    if rows:
        buffer.write_rows(item, rows, program)
        buffer.rows = rows
    else:
        buffer.write(item)
        buffer.remember_format(item)


def require_given(buffers: Sequence[InputBuffer]) -> None:
    """Raise DataError if data is missing because a run has overwritten it."""
    for buffer in buffers:
        if not buffer.given:
            hint = "give it for each run, or compile without overwrite_inputs"
            raise DataError(f"{buffer.tensor.title} is not there: the image overwrites inputs", hint)
