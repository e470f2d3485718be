"""The trained parameters of images, and of checkpoints, which can get others.

Those of an image are in the order of its state table, which deltas follow too. A checkpoint with other
parameters keeps its moments, counters, properties and stored samples.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import DataError
from ..generated.records import DTYPE, NONE, STATE_ROLE
from . import records
from .checkpoint import STATE_TYPES, checked_header, parts_of, rows_of, seal, tensor_data
from .image.read import read_image


def parameter_entries(image: bytes) -> list[dict[str, Any]]:
    """Return the entries of the state table that are parameters."""
    return [entry for entry in read_image(bytes(image)).state if entry["role"] == "parameter"]


def parameter_elements(image: bytes) -> list[int]:
    """Return how many elements each parameter has."""
    return [entry["size"] // STATE_TYPES[entry["dtype"]].itemsize for entry in parameter_entries(image)]


def with_parameters(checkpoint: bytes, parameters: Mapping[str, np.ndarray]) -> bytes:
    """Return a device's "plain" checkpoint with these parameters.

    parameters: one for each name in the checkpoint, in its shape, float32 and finite. Raises CheckpointError for
    bytes that are not a checkpoint, and DataError if a parameter is missing, unknown, of another shape or not
    finite, or if the checkpoint's are not float32.
    """
    header = checked_header(checkpoint)
    table, names, state = parts_of(header, checkpoint)
    rows = _named(table, names, STATE_ROLE["parameter"])
    require_same_names(rows, parameters)
    changes = {row["offset"]: _bytes_of(name, row, parameters[name]) for name, row in rows.items()}
    return _changed(header, checkpoint, names, state, changes)


def with_tensors(checkpoint: bytes, tensors: Mapping[str, np.ndarray], control: Mapping[str, int | float]) -> bytes:
    """Return a device's checkpoint, plain, with other numbers in some tensors and in its control record.

    tensors: of parameters, statistics and moments, in the type and shape of the checkpoint's. Raises CheckpointError
    for bytes that are not a checkpoint, and DataError for a tensor that it lacks, or of another type or shape.
    """
    header = checked_header(checkpoint)
    table, names, state = parts_of(header, checkpoint)
    rows, changes = _named(table, names), {}
    for name, values in tensors.items():
        if name not in rows:
            raise DataError(f"the checkpoint has no '{name}'", f"it has {', '.join(rows)}")
        changes[rows[name]["offset"]] = _own_bytes(name, rows[name], values)
    at = next(row["offset"] for row in table if row["role"] == STATE_ROLE["control"])
    changes[at] = records.pack("control", {**records.unpack("control", state, at), **control})
    return _changed(header, checkpoint, names, state, changes)


def _named(table: list[dict], names: bytes, role: int | None = None) -> dict[str, dict]:
    """Return the entries that have names, of one role or of all, by name."""
    rows = (row for row in table if row["name"] != NONE and role in (None, row["role"]))
    return {records.text_at(names, row["name"]): row for row in rows}


def _changed(header: dict, checkpoint: bytes, names: bytes, state: bytes, changes: Mapping[int, bytes]) -> bytes:
    """Return the checkpoint, plain, with other bytes at some offsets of its state."""
    changed = bytearray(state)
    for at, data in changes.items():
        changed[at : at + len(data)] = data
    model_id = struct.pack("<4I", *header["model_id"])
    return seal(rows_of(header, checkpoint), names, bytes(changed), header["entries"], model_id)


def require_same_names(wanted: Mapping[str, object], given: Mapping[str, object]) -> None:
    """Raise DataError if a name is missing or unknown."""
    missing, unknown = sorted(set(wanted) - set(given)), sorted(set(given) - set(wanted))
    if missing:
        raise DataError(f"there is no array for the parameter '{missing[0]}'", f"give {', '.join(sorted(wanted))}")
    if unknown:
        raise DataError(f"the model has no parameter '{unknown[0]}'", f"it has {', '.join(sorted(wanted))}")


def _own_bytes(name: str, row: dict, values: np.ndarray) -> bytes:
    """Return the bytes of a tensor that has the type and the shape of its entry."""
    dtype, data = tensor_data(values)
    shape = tuple(row["dims"][: row["rank"]])
    if DTYPE[dtype] != row["dtype"] or tuple(values.shape) != shape:
        raise DataError(f"'{name}' is {values.dtype} of shape {tuple(values.shape)}", f"the checkpoint's has {shape}")
    return data


def _bytes_of(name: str, row: dict, values: np.ndarray) -> bytes:
    """Return the bytes of one parameter in a state."""
    shape = tuple(row["dims"][: row["rank"]])
    if row["dtype"] != DTYPE["f32"]:
        raise DataError(f"the model's '{name}' has integers", "give parameters to models of float32 alone")
    if tuple(values.shape) != shape:
        raise DataError(f"'{name}' has the shape {tuple(values.shape)}", f"the model's has {shape}")
    if values.dtype != STATE_TYPES["f32"] or not np.isfinite(values).all():
        raise DataError(f"'{name}' has numbers that are not finite float32", "give those of a stable training run")
    return values.tobytes()
