"""The reader of onnxruntime-training's checkpoints.

They are flatbuffers with the identifier "ODTC". A checkpoint has the parameters that train, the
frozen ones, the optimizer's moments, and properties. Format: ort_training_checkpoint.fbs and
ort.fbs of onnxruntime 1.17 to 1.20; the numbers below are the positions of the fields there.
"""

from __future__ import annotations

import math
import os
import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from flatbuffers import number_types as types

from ...errors import CheckpointError
from .. import records
from .checked_table import Allowance, CheckedTable, root_table

_AGAIN = "save it again with onnxruntime-training"

#: TensorDataType of ort.fbs -> numpy's name
_DTYPES = {
    1: "f4", 2: "u1", 3: "i1", 4: "u2", 5: "i2", 6: "i4", 7: "i8", 9: "?", 10: "f2", 11: "f8", 12: "u4", 13: "u8",
}  # fmt: skip


@dataclass(frozen=True)
class OrtTensor:
    """A tensor of a checkpoint; array is None in a nominal one, which only has names."""

    name: str
    array: np.ndarray | None


@dataclass
class OrtCheckpoint:
    """The contents of a checkpoint.

    trained, frozen: parameters. moments: those of each parameter, by its name, in the optimizer's order.
    steps: applied updates. learning_rate: that with which an optimizer resumes, None if the checkpoint has
    no optimizer.
    """

    trained: list[OrtTensor]
    frozen: list[OrtTensor]
    nominal: bool
    moments: dict[str, list[np.ndarray]] = field(default_factory=dict)
    steps: int = 0
    learning_rate: float | None = None
    properties: dict[str, int | float | str] = field(default_factory=dict)


def is_ort_checkpoint(data: bytes) -> bool:
    """Return whether the bytes start like a checkpoint of onnxruntime-training."""
    return data[4:8] == b"ODTC"


def read_ort_checkpoint(path: str | os.PathLike[str], data: bytes) -> OrtCheckpoint:
    """Return the contents of the bytes of a checkpoint.

    path: the checkpoint's path; large tensors are in a file beside it. Raises CheckpointError.
    """
    if len(data) > records.FILE_LIMIT:
        raise CheckpointError(f"{path} is larger than 1 GiB", "train fewer parameters on a device")
    try:
        return read_root(root_table(data), ExternalData(Path(f"{os.fspath(path)}.data")))
    except (struct.error, ValueError, OverflowError, TypeError) as error:
        raise CheckpointError(f"{path} is not a valid checkpoint of onnxruntime-training: {error}", _AGAIN) from error


class ExternalData:
    """The file beside a checkpoint that holds large tensors, opened when one is read."""

    def __init__(self, path: Path) -> None:
        """Store the path; nothing is read yet."""
        self._path = path
        self._allowance: Allowance | None = None

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes of the file.

        Raises CheckpointError if the file does not exist, ValueError if it is too short.
        """
        try:
            with open(self._path, "rb") as file:
                self._allowance = self._allowance or Allowance(os.fstat(file.fileno()).st_size)
                self._allowance.spend(size)
                file.seek(offset)
                data = file.read(size)
        except OSError as error:
            raise CheckpointError(
                f"cannot read {self._path}: {error.strerror}", "put it beside the checkpoint"
            ) from error
        if len(data) != size:
            raise ValueError(f"{self._path.name} ends before byte {offset + size}")
        return data


def read_root(root: CheckedTable, external: ExternalData) -> OrtCheckpoint:
    """Return the contents of the table Checkpoint."""
    module, bag = root.table(1), root.table(3)
    if module is None:
        raise ValueError("it has no parameters")
    nominal = bool(module.number(2, types.BoolFlags))
    trained, frozen = ([read_tensor(t, external, nominal) for t in module.tables(slot)] for slot in (0, 1))
    check_names([*trained, *frozen])
    found = OrtCheckpoint(trained, frozen, nominal, properties=read_properties(bag) if bag else {})
    groups = root.tables(2)
    if len(groups) > 1:
        raise ValueError(f"it has {len(groups)} groups of parameters, and one is supported")
    if groups:
        read_group(found, groups[0], external)
    return found


def read_tensor(table: CheckedTable, external: ExternalData, nominal: bool) -> OrtTensor:
    """Return the tensor of a table Tensor."""
    name, dims, kind = table.text(0), table.int64s(2), int(table.number(3, types.Int32Flags))
    if nominal:
        return OrtTensor(name, None)
    if kind not in _DTYPES:
        raise ValueError(f"'{name}' has the unsupported data type {kind}")
    dtype = np.dtype(_DTYPES[kind]).newbyteorder("<")
    size = data_size(name, dims, dtype.itemsize)
    offset = int(table.number(6, types.Int64Flags, -1))
    data = table.data(4) if offset < 0 else external.read(offset, size)
    if len(data) != size:
        raise ValueError(f"'{name}' has {len(data)} bytes, and its shape {dims} has {size}")
    return OrtTensor(name, np.frombuffer(data, dtype).reshape(dims).astype(dtype.newbyteorder("=")))


def data_size(name: str, dims: list[int], item: int) -> int:
    """Return the bytes of a tensor of this shape.

    Raises ValueError for a shape that no tensor has.
    """
    if len(dims) > 32 or any(d < 0 for d in dims):
        raise ValueError(f"'{name}' has the shape {dims[:8]}")
    size = item * math.prod(dims)
    if size > records.FILE_LIMIT:
        raise ValueError(f"'{name}' has the shape {dims}")
    return size


def check_names(tensors: list[OrtTensor]) -> None:
    """Raise ValueError for a parameter without a name, or for two of one name."""
    names = [tensor.name for tensor in tensors]
    if not all(names) or len(set(names)) != len(names):
        raise ValueError("it has parameters without a name, or two of one name")


def read_group(found: OrtCheckpoint, group: CheckedTable, external: ExternalData) -> None:
    """Add the optimizer's state of a table OptimizerGroup."""
    found.steps = int(group.number(1, types.Int64Flags))
    found.learning_rate = float(group.number(2, types.Float32Flags))
    if not 0 <= found.steps < 2**32:
        raise ValueError(f"it has {found.steps} updates")
    if not 0 <= found.learning_rate < math.inf:
        raise ValueError(f"it has the learning rate {found.learning_rate}")
    for state in group.tables(3):
        moments = [read_tensor(t, external, False).array for t in state.tables(1)]
        found.moments[state.text(0)] = [array for array in moments if array is not None]


def read_properties(bag: CheckedTable) -> dict[str, int | float | str]:
    """Return the properties of a table PropertyBag."""
    ints = {p.text(0): int(p.number(1, types.Int64Flags)) for p in bag.tables(0)}
    floats = {p.text(0): float(p.number(1, types.Float32Flags)) for p in bag.tables(1)}
    texts = {p.text(0): p.text(1) for p in bag.tables(2)}
    return {**ints, **floats, **texts}
