"""Training data that any numpy computes alike: both onnxruntime's environment and this one draw it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: Steps that onnxruntime took before it saved the checkpoint, and steps that are compared after it.
BEFORE, STEPS = 10, 50
_CLASSES = 4


def batch_of(inputs: Sequence[tuple[str, str, Sequence[int]]], step: int) -> list[np.ndarray]:
    """Data and labels of a step; each sample's labels follow from its data, so that losses fall.

    inputs: (name, "float" or "labels", shape), data first.
    """
    (_, _, shape), *others = inputs
    batch = shape[0]
    x = uniform(shape, step) * 2 - 1
    kind = (np.arange(batch) + step) % _CLASSES
    x = (x + (kind / _CLASSES).reshape(-1, *[1] * (len(shape) - 1))).astype(np.float32)
    return [x, *(kind.astype(np.int64) if of == "labels" else targets(kind, shape) for _, of, shape in others)]


def targets(kind: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Numbers in 0 .. 1 of the shape (batch, n), which a sample's class decides."""
    return (((kind[:, None] + np.arange(shape[1])) % _CLASSES) / (_CLASSES - 1)).astype(np.float32)


def uniform(shape: Sequence[int], seed: int) -> np.ndarray:
    """Float64 numbers in [0, 1) from a hash of each index (Wang's, of 32 bits)."""
    x = np.arange(int(np.prod(shape)), dtype=np.uint64) + np.uint64(seed * 1_000_003)
    mask = np.uint64(0xFFFFFFFF)
    x = ((x ^ np.uint64(61)) ^ (x >> np.uint64(16))) & mask
    x = (x * np.uint64(9)) & mask
    x = x ^ (x >> np.uint64(4))
    x = (x * np.uint64(0x27D4EB2D)) & mask
    x = x ^ (x >> np.uint64(15))
    return (x / 2.0**32).reshape(tuple(shape))
