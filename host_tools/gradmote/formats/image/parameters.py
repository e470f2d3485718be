"""The trained parameters of an image, in the order of its state table, which deltas follow too."""

from __future__ import annotations

from typing import Any

from ..checkpoint import STATE_TYPES
from .read import read_image


def parameter_entries(image: bytes) -> list[dict[str, Any]]:
    """Return the entries of the state table that are parameters."""
    return [entry for entry in read_image(bytes(image)).state if entry["role"] == "parameter"]


def parameter_elements(image: bytes) -> list[int]:
    """Return how many elements each parameter has."""
    return [entry["size"] // STATE_TYPES[entry["dtype"]].itemsize for entry in parameter_entries(image)]
