"""The writing of samples to a target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    """One set of samples, as the model of a target takes them.

    Attributes:
        target: The target that they are written to.
        data: The data that they are from, which says how bytes are scaled.
        x: The samples of the first input.
        y: Those of the first label; None where there is none.
        others: Those of all other inputs and labels.
        name: The name of y in the data.
    """

    target: Target
    data: Dataset
    x: Array
    y: Array | None
    others: Others
    name: str = "y"

    def write(self, rows: Array) -> None:
        """Write these rows of all inputs and labels."""
        write_batch(self.target, self.data, self.x[rows], None if self.y is None else self.y[rows])
        for role, index, array in self.others:
            _write(self.target, role, index, array[rows])

    def labels_explained(self, rows: Array) -> AbstractContextManager[None]:
        """Return the context in which a refused label among these rows names its samples."""
        return explain_wrong_labels(self.target, self.y, rows, self.name)


def write_batch(target: Target, data: Dataset, x: Array, y: Array | None) -> None:
    """Write one batch of the first input and label; x is stored as data.x is.

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
    """Yield index and description of each tensor with that role, from index `first` on."""
    index = first
    while (tensor := target.describe(program, role, index)) is not None:
        yield index, tensor
        index += 1


def others_of(target: Target, arrays: Mapping[str, Array], count: int) -> Others:
    """Return role, index and samples of what the model takes beside x and y.

    Raises DataError where an array is missing, or has another number or size of samples.
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
    """Raise DataError where a sample of the array has another size than the model's tensor.

    tensor: None where the model has no such tensor, which is an error too.
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
