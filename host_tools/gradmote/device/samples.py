"""Writes samples to a target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np

from gradmote.errors import DataError

from ..data.dataset import Array, Dataset
from .target import Target
from .types import Tensor
from .wrong_labels import explain_wrong_labels

#: The role, index and samples of each input and label after the first.
Others = list[tuple[str, int, Array]]


@dataclass(frozen=True)
class Samples:
    """One set of samples, in the form that the model of a target takes.

    Attributes:
        target: The target to write to.
        data: The data that contains them; it also says how bytes are scaled.
        x: The samples of the first input.
        y: The samples of the first label; None without labels.
        others: The samples of all other inputs and labels.
        name: The name of y in the data.
        takes_labels: Whether the model takes y; one that only infers does not.
        changed: Returns the samples of some rows of x as they are sent; None sends them as they are.
    """

    target: Target
    data: Dataset
    x: Array
    y: Array | None
    others: Others
    name: str = "y"
    takes_labels: bool = True
    changed: Callable[[Array], Array] | None = None

    def write(self, rows: Array) -> None:
        """Write these rows of all inputs and labels."""
        y = self.y[rows] if self.y is not None and self.takes_labels else None
        x = self.x[rows] if self.changed is None else self.changed(rows)
        write_batch(self.target, self.data, x, y)
        for role, index, array in self.others:
            _write(self.target, role, index, array[rows])

    def labels_explained(self, rows: Array) -> AbstractContextManager[None]:
        """Return a context in which the error for a refused label names its samples among these rows."""
        return explain_wrong_labels(self.target, self.y, rows, self.name)


def write_batch(target: Target, data: Dataset, x: Array, y: Array | None) -> None:
    """Write one batch of the first input and label; x is stored like data.x.

    Class labels below 256 are sent as bytes.
    """
    if x.dtype == np.uint8:
        target.write_u8("input", 0, x, data.scale, data.zero)
    else:
        target.write("input", 0, x)
    if y is not None:
        _write(target, "label", 0, y)


def _write(target: Target, role: str, index: int, array: Array) -> None:
    if array.dtype.kind in "iu" and int(array.min()) >= 0 and int(array.max()) < 256:
        target.write_u8(role, index, array.astype(np.uint8))
    else:
        target.write(role, index, array)


def tensors(target: Target, program: str, role: str, first: int = 0) -> Iterator[tuple[int, Tensor]]:
    """Yield the index and description of each tensor with that role, from index `first` on."""
    index = first
    while (tensor := target.describe(program, role, index)) is not None:
        yield index, tensor
        index += 1


def others_of(target: Target, arrays: Mapping[str, Array], count: int) -> Others:
    """Return role, index and samples of each tensor that the model takes besides x and y.

    Raises DataError if an array is missing, or its samples have the wrong number or size.
    """
    info = target.info()
    program = next((p for p in ("step", "train", "eval", "infer") if p in info.programs), "infer")
    found: Others = []
    for role in ("input", "label"):
        for index, tensor in tensors(target, program, role, first=1):
            array = arrays.get(tensor.name)
            if array is None or len(array) != count:
                there = "is missing" if array is None else f"has {len(array)} samples, x {count}"
                raise DataError(
                    f"the model also takes the {role} '{tensor.name}', which {there}",
                    f"add an array {tensor.name} (for a test also {tensor.name}_test) with a row for each sample",
                )
            check_tensor(tensor, array, tensor.name, info.batch)
            found.append((role, index, array))
    return found


def check_tensor(tensor: Tensor | None, array: Array, name: str, batch: int) -> None:
    """Raise DataError if a sample of the array differs in size from the model's tensor.

    tensor: None if the model has no such tensor, which is an error too.
    """
    if tensor is None:
        raise DataError(f"the model takes no {name}", "compile it with a loss")
    wanted = tensor.elements // batch
    given = array[0].size
    if wanted != given:
        raise DataError(
            f"a sample of {name} has {given} values, '{tensor.name}' {tensor.shape} takes {wanted}",
            "the data must have the shape of the ONNX model's input, without the batch",
        )
