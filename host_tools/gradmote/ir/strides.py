"""Strides in elements, which give a kernel the distance to the next element along an axis.

A stride of 0 repeats an element (broadcasting).
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from ..errors import UnsupportedOperator
from .graph import describe

#: The number of dimensions of a broadcasting instruction.
RANK = 4


def contiguous(shape: Sequence[int]) -> list[int]:
    """Return the row-major strides of a tensor without gaps."""
    return broadcast_strides(shape, shape)


def broadcast_strides(shape: Sequence[int], output: Sequence[int]) -> list[int]:
    """Return the strides that broadcast a contiguous tensor of `shape` to the shape `output`."""
    padded = [1] * (len(output) - len(shape)) + list(shape)
    strides, step = [0] * len(output), 1
    for axis in reversed(range(len(output))):
        strides[axis] = 0 if padded[axis] == 1 else step
        step *= padded[axis]
    return strides


def broadcast_walk(strides: Sequence[int], shape: Sequence[int], output: Sequence[int]) -> list[int]:
    """Return the strides that broadcast a tensor of `shape` and `strides` to the shape `output`."""
    missing = len(output) - len(shape)
    return [0] * missing + [0 if d == 1 else s for d, s in zip(shape, strides, strict=True)]


def physical_order(shape: Sequence[int], strides: Sequence[int]) -> list[int]:
    """Return the axes in order of their strides, the longest stride first.

    The strides of axes of size 1 do not matter; these come last, in their own order.
    """
    return sorted(range(len(shape)), key=lambda axis: (-strides[axis] if shape[axis] > 1 else 0, axis))


def packed(shape: Sequence[int], order: Sequence[int]) -> list[int]:
    """Return the strides of a tensor without gaps whose axes are in memory order `order`.

    `order` names the axis with the longest stride first.
    """
    strides = [0] * len(shape)
    for axis, stride in zip(order, contiguous([shape[a] for a in order]), strict=True):
        strides[axis] = stride
    return strides


def is_gapless(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether the strides visit each element of one block of memory exactly once.

    Such a tensor is contiguous except for the order of its axes.
    """
    axes = [a for a in physical_order(shape, strides) if shape[a] > 1]
    packed = contiguous([shape[a] for a in axes])
    return [strides[a] for a in axes] == packed


def collapse(dims: Sequence[int], *strides: Sequence[int]) -> tuple[list[int], list[list[int]]]:
    """Merge adjacent dimensions that every operand can traverse as one, and drop those of size 1.

    Returns the merged sizes, and the merged strides of each operand.
    """
    kept: list[int] = []
    merged: list[list[int]] = [[] for _ in strides]
    for axis, dim in enumerate(dims):
        if dim == 1:
            continue
        if kept and all(w[-1] == s[axis] * dim for w, s in zip(merged, strides, strict=True)):
            kept[-1] *= dim
            for w, s in zip(merged, strides, strict=True):
                w[-1] = s[axis]
        else:
            kept.append(dim)
            for w, s in zip(merged, strides, strict=True):
                w.append(s[axis])
    return kept, merged


def pad_front(values: Sequence[int], rank: int, fill: int) -> list[int]:
    """Return the values with `fill` in front of them, `rank` numbers in all."""
    return [fill] * (rank - len(values)) + list(values)


def fit(
    node: ir.Node, dims: Sequence[int], *strides: Sequence[int], rank: int = RANK
) -> tuple[list[int], list[list[int]]]:
    """Return collapsed sizes and strides, padded in front to the instruction's rank.

    Raises UnsupportedOperator if more than `rank` dimensions remain.
    """
    kept, merged = collapse(dims, *strides)
    if len(kept) > rank:
        raise UnsupportedOperator(
            f"{node.op_type} needs {len(kept)} independent dimensions, an instruction has at most {rank}",
            "reshape the operands so that neighbouring dimensions are broadcast alike",
            describe(node),
        )
    return pad_front(kept, rank, 1), [pad_front(w, rank, 0) for w in merged]


def same_walk(shape: Sequence[int], a: Sequence[int], b: Sequence[int]) -> bool:
    """Return whether two lists of strides visit the same elements in the same order."""
    return all(d == 1 or x == y for d, x, y in zip(shape, a, b, strict=True))


def reshaped(shape: Sequence[int], strides: Sequence[int], output: Sequence[int]) -> list[int] | None:
    """Return the strides that give the same elements, in the same order, the shape `output`.

    Returns None if no strides do.
    """
    dims, (merged,) = collapse(shape, strides)
    found: list[int] = []
    # Each size must divide the innermost dimension that has elements left.
    for size in reversed(output):
        if size > 1 and (not dims or dims[-1] % size):
            return None
        found.append(merged[-1] if size > 1 else 0)
        if size > 1:
            dims[-1] //= size
            merged[-1] *= size
        if dims and dims[-1] == 1:
            dims.pop()
            merged.pop()
    return found[::-1]
