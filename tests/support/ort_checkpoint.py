"""Writes checkpoints like onnxruntime-training, and also ones that it would not write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import flatbuffers
import numpy as np


@dataclass
class Forged:
    """The contents of a checkpoint. external: offset of the data in the separate file, by the tensor's name."""

    trained: dict[str, np.ndarray]
    frozen: dict[str, np.ndarray] = field(default_factory=dict)
    steps: int = 0
    rate: float | None = None
    moments: dict[str, list[np.ndarray]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    external: dict[str, int] = field(default_factory=dict)
    repeated: int = 1  # references to each moment
    nominal: bool = False  # only names


def written(forged: Forged) -> bytes:
    builder = flatbuffers.Builder(1024)
    trained, frozen = (
        vector(builder, [tensor(builder, n, shown(forged, a), forged.external.get(n)) for n, a in tensors.items()])
        for tensors in (forged.trained, forged.frozen)
    )
    builder.StartObject(4)
    builder.PrependUOffsetTRelativeSlot(0, trained, 0)
    builder.PrependUOffsetTRelativeSlot(1, frozen, 0)
    builder.PrependBoolSlot(2, forged.nominal, False)
    module = builder.EndObject()
    parts = {1: module}
    if forged.rate is not None:
        parts[2] = vector(builder, [group(builder, forged)])
    if forged.numbers:
        parts[3] = table(builder, 3, {0: vector(builder, [number(builder, *item) for item in forged.numbers.items()])})
    builder.Finish(table(builder, 4, parts), file_identifier=b"ODTC")
    return bytes(builder.Output())


def shown(forged: Forged, array: np.ndarray) -> np.ndarray:
    """Return an array as stored: a nominal checkpoint has neither data nor a shape."""
    return np.zeros((), np.float32) if forged.nominal else array


def group(builder: flatbuffers.Builder, forged: Forged) -> int:
    states = []
    for name, arrays in forged.moments.items():
        moments = [tensor(builder, f"momentum{i}", a, None) for i, a in enumerate(arrays)] * forged.repeated
        states.append(table(builder, 2, {0: builder.CreateString(name), 1: vector(builder, moments)}))
    found = vector(builder, states)
    builder.StartObject(4)
    builder.PrependInt64Slot(1, forged.steps, 0)
    builder.PrependFloat32Slot(2, forged.rate, 0.0)
    builder.PrependUOffsetTRelativeSlot(3, found, 0)
    return builder.EndObject()


def tensor(builder: flatbuffers.Builder, name: str, array: np.ndarray, external: int | None) -> int:
    kinds = {"f4": 1, "i8": 7, "f8": 11}
    text, data = builder.CreateString(name), builder.CreateByteVector(b"" if external is not None else array.tobytes())
    builder.StartVector(8, array.ndim, 8)
    for dim in reversed(array.shape):
        builder.PrependInt64(dim)
    dims = builder.EndVector()
    builder.StartObject(7)
    builder.PrependUOffsetTRelativeSlot(0, text, 0)
    builder.PrependUOffsetTRelativeSlot(2, dims, 0)
    builder.PrependInt32Slot(3, kinds[array.dtype.str[1:]], 0)
    builder.PrependUOffsetTRelativeSlot(4, data, 0)
    builder.PrependInt64Slot(6, -1 if external is None else external, -1)
    return builder.EndObject()


def number(builder: flatbuffers.Builder, name: str, value: int) -> int:
    text = builder.CreateString(name)
    builder.StartObject(2)
    builder.PrependUOffsetTRelativeSlot(0, text, 0)
    builder.PrependInt64Slot(1, value, 0)
    return builder.EndObject()


def vector(builder: flatbuffers.Builder, offsets: Sequence[int]) -> int:
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()


def table(builder: flatbuffers.Builder, slots: int, fields: dict[int, int]) -> int:
    builder.StartObject(slots)
    for slot, offset in fields.items():
        builder.PrependUOffsetTRelativeSlot(slot, offset, 0)
    return builder.EndObject()
