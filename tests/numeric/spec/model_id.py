"""The model id of an image, from docs/SPEC.md alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from .read_image import Image, Record


def model_id(image: Image, frozen: Mapping[str, np.ndarray]) -> bytes:
    """Return the 16 bytes. frozen: the model's weights that are neither a parameter nor a STATISTIC."""
    weights = hashlib.sha256()
    for name in sorted(frozen):
        weights.update(name.encode() + b"\0" + np.ascontiguousarray(frozen[name]).tobytes())
    digest = hashlib.sha256(weights.digest())
    for role in ("PARAMETER", "STATISTIC", "SLOT"):
        for entry in image.state:
            digest.update(_line(image, entry) if entry.role_name == role else b"")
    h = image.header
    digest.update(f"{h.control_offset} {h.properties_offset} {h.properties_count}".encode())
    if image.store is not None:
        digest.update(f" {image.store.dtype_name.lower()} {image.store.elements} {image.store.capacity}".encode())
    return digest.digest()[:16]


def _line(image: Image, entry: Record) -> bytes:
    name = image.section("NAMES")[entry.name :].split(b"\0")[0]
    dtype = entry.dtype_name.lower()
    kind = "" if dtype == "f32" else f" {dtype}"
    return name + f" {tuple(entry.dims[: entry.rank])} {entry.offset}{kind}\n".encode()
