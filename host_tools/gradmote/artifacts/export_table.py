"""The table with which a device writes its trained model as ONNX: gm_export() of the runtime.

`gradmote export` writes a state whose numbers are all different, and each number's place in the file shows. The export
of a drawn state then checks the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx

from ..errors import ModelError
from ..formats import export_table as table_format
from ..formats.checkpoint import STATE_TYPES, Checkpoint
from ..formats.export_table import Range
from ..formats.image.read import read_image
from ..frontend import Source
from ..frontend.branch_weights import tensors_of
from ..ir.program import GAINS
from ..ir.write import proto_bytes
from .export import part_of, trained_model

#: The bits of the smallest normal float32: marks are the numbers from here on, which no weight of a network comes near.
FIRST_MARK = 0x00800000
#: What a file has -> its kind of range.
KINDS = {"int8": "i8", "uint8": "u8", "int32": "word"}


def export_table(model: Source, image: bytes, *, tie: Sequence[tuple[str, str]] = ()) -> bytes:
    """Return the export table of an image (.gmex), with which a device writes its trained model.

    model: the inference model that was compiled. tie: the pairs that it was compiled with. A device writes what
    `gradmote export` writes of its checkpoint, byte for byte. Raises ModelError if the image has no names of its
    parameters, or if no table does that; CheckpointError if the image is not this model's.
    """
    found = read_image(image)
    state = [e for e in found.state if e["role"] in ("parameter", "statistic") and e["name"] != GAINS]
    if not all(entry["name"] for entry in state):
        raise ModelError("the image has no names of its parameters", "compile it without --strip-names")
    exported = Exported(model, state, tie)
    before, ranges = exported.file(initial(state, found.initial)), exported.ranges()
    exported.check(before, ranges)
    return table_format.pack(ranges, before, found.model_id)


class Exported:
    """Exports of the states of one image."""

    def __init__(self, model: Source, state: Sequence[dict[str, Any]], tie: Sequence[tuple[str, str]]) -> None:
        """Remember the model, and the parameters and statistics of the image's state."""
        self.model, self.state, self.tie = model, state, tie

    def proto(self, tensors: dict[str, np.ndarray]) -> onnx.ModelProto:
        """Return the exported model of a state."""
        names = {role: [e["name"] for e in self.state if e["role"] == role] for role in ("parameter", "statistic")}
        return trained_model(self.model, Checkpoint(tensors, names["parameter"], names["statistic"]), tie=self.tie)

    def file(self, tensors: dict[str, np.ndarray]) -> bytes:
        """Return the exported file of a state."""
        return proto_bytes(self.proto(tensors))

    def ranges(self) -> list[Range]:
        """Return the ranges of the file, in ascending order."""
        proto = self.proto(marked(self.state))
        integers = {part_of(e["name"])[0] for e in self.state if e["dtype"] != "f32"}
        trained: list[tuple[onnx.TensorProto, str, np.ndarray, np.ndarray | None]] = []
        for tensor in tensors_of(proto.graph):
            array = onnx.numpy_helper.to_array(tensor.data)
            if array.dtype == np.float32:
                addresses = addresses_of_marks(array, self.state)
                if (addresses >= 0).any():
                    trained.append((tensor.data, "word", addresses, None))
            elif tensor.name in integers:
                # All integers were marked with 0, so the file has what is added to each.
                addresses, kind = self.addresses_of(tensor.name, array), KINDS[str(array.dtype)]
                trained.append((tensor.data, kind, addresses, array.ravel().astype(int)))
        places = places_of(proto, [tensor for tensor, *_ in trained])
        found: list[Range] = []
        for place, (_, kind, addresses, add) in zip(places, trained, strict=True):
            found += table_format.ranges_of(place, kind, addresses, add)
        return sorted(found, key=lambda each: each.at)

    def addresses_of(self, weight: str, array: np.ndarray) -> np.ndarray:
        """Return the address of each integer of a weight, in one piece or in parts by channels."""
        addresses = np.full(array.shape, -1)
        for entry in self.state:
            name, part = part_of(entry["name"])
            if entry["name"] == weight or name == weight:
                count, size = entry["size"], STATE_TYPES[entry["dtype"]].itemsize
                own = entry["offset"] + np.arange(count // size) * size
                own += size == 2  # the high byte of an int16 master
                addresses[() if entry["name"] == weight else part] = own.reshape(entry["shape"])
        return addresses.ravel()

    def check(self, before: bytes, ranges: Sequence[Range]) -> None:
        """Raise ModelError unless the ranges do to a drawn state what an export does. before: the file untrained."""
        drawn = draw(self.state)
        if table_format.put(ranges, before, state_bytes(self.state, drawn)) != self.file(drawn):
            raise ModelError(
                "this model has no export table: its export does more than to put numbers into the file",
                "export what was learned on the host: gradmote export",
            )


# ---- States ----------------------------------------------------------------------------------------------------------


def initial(state: Sequence[dict[str, Any]], data: bytes) -> dict[str, np.ndarray]:
    """Return the tensors of a state. data: the state's bytes."""
    spans = ((e, data[e["offset"] : e["offset"] + e["size"]]) for e in state)
    return {e["name"]: np.frombuffer(span, STATE_TYPES[e["dtype"]]).reshape(e["shape"]) for e, span in spans}


def marked(state: Sequence[dict[str, Any]]) -> dict[str, np.ndarray]:
    """Return a state in which each float32 has a mark of its own, and each integer is 0."""
    made, mark = {}, FIRST_MARK
    for entry in state:
        if entry["dtype"] == "f32":
            count = entry["size"] // 4
            made[entry["name"]] = np.arange(mark, mark + count, dtype="<u4").view("<f4").reshape(entry["shape"])
            mark += count
        else:
            made[entry["name"]] = np.zeros(entry["shape"], STATE_TYPES[entry["dtype"]])
    return made


def addresses_of_marks(array: np.ndarray, state: Sequence[dict[str, Any]]) -> np.ndarray:
    """Return the address in the state that each number's mark stands for; -1 for a number without one."""
    floats = [entry for entry in state if entry["dtype"] == "f32"]
    starts = FIRST_MARK + np.cumsum([0, *(entry["size"] // 4 for entry in floats)])
    bits = np.ascontiguousarray(array).view(np.uint32).ravel().astype(np.int64)
    known = (bits >= starts[0]) & (bits < starts[-1])
    which = np.searchsorted(starts, bits, "right") - 1
    offsets = np.array([*(entry["offset"] for entry in floats), 0])
    return np.where(known, offsets[which.clip(0, len(floats))] + 4 * (bits - starts[which.clip(0)]), -1)


def draw(state: Sequence[dict[str, Any]]) -> dict[str, np.ndarray]:
    """Return a drawn state. Integers are 0 or 1, which fit beside any zero point."""
    random = np.random.default_rng(0)
    return {
        entry["name"]: random.standard_normal(entry["shape"]).astype(np.float32)
        if entry["dtype"] == "f32"
        else (random.integers(0, 2, entry["shape"]) << (8 if entry["dtype"] == "i16" else 0)).astype(
            STATE_TYPES[entry["dtype"]]
        )
        for entry in state
    }


def state_bytes(state: Sequence[dict[str, Any]], tensors: dict[str, np.ndarray]) -> bytes:
    """Return the bytes of a state that has these tensors."""
    data = bytearray(max(entry["offset"] + entry["size"] for entry in state))
    for entry in state:
        data[entry["offset"] : entry["offset"] + entry["size"]] = tensors[entry["name"]].tobytes()
    return bytes(data)


def places_of(proto: onnx.ModelProto, tensors: Sequence[onnx.TensorProto]) -> list[int]:
    """Return the first byte of each tensor's data in the file.

    These bytes change with the tensor. Tensors have numbers from 1 on; for each binary digit of them, those with this
    digit are changed together.
    """
    before = np.frombuffer(proto_bytes(proto), np.uint8)
    numbers = np.zeros(len(before), int)
    for digit in range(len(tensors).bit_length()):
        some = [tensor for number, tensor in enumerate(tensors, 1) if number >> digit & 1]
        invert(some)
        numbers |= (np.frombuffer(proto_bytes(proto), np.uint8) != before).astype(int) << digit
        invert(some)
    found, first, sizes = np.unique(numbers, return_index=True, return_counts=True)
    assert found.tolist() == list(range(len(tensors) + 1)) and sizes[1:].tolist() == [len(t.raw_data) for t in tensors]
    return first[1:].tolist()


def invert(tensors: Sequence[onnx.TensorProto]) -> None:
    """Invert all bits of some tensors."""
    for tensor in tensors:
        tensor.raw_data = bytes(np.frombuffer(tensor.raw_data, np.uint8) ^ 0xFF)
