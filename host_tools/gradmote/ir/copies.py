"""COPY instructions, which move elements from one set of strides to another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .generated.instructions import Copy, CopyS8, CopyS16
from .instruction import ELEMENT_BYTES, Ref

#: The number of dimensions of a COPY.
COPY_RANK = 6
#: The instructions that copy elements of 4 bytes, 1 byte and 2 bytes.
AnyCopy = Copy | CopyS8 | CopyS16


def copy_of(
    source: Ref,
    target: Ref,
    dims: Sequence[int],
    read: Sequence[int],
    written: Sequence[int],
    dtype: str = "f32",
    table: Ref | None = None,
) -> AnyCopy:
    """Return a copy of `dims` elements; both sides have COPY_RANK sizes and strides.

    `table` maps each of the 256 8-bit numbers, in ascending order, to its replacement.
    """
    sides = zip("dst", (dims, read, written), strict=True)
    params: dict[str, Any] = {f"{letter}{i}": number for letter, own in sides for i, number in enumerate(own)}
    if ELEMENT_BYTES[dtype] == 1:
        return CopyS8(x=source, table=table, y=target, **params)
    kind: type[Copy | CopyS16] = CopyS16 if ELEMENT_BYTES[dtype] == 2 else Copy
    return kind(x=source, y=target, **params)


def flat_copy(source: Ref, target: Ref, n: int, dtype: str = "f32", table: Ref | None = None) -> AnyCopy:
    """Return a copy of n contiguous elements."""
    alone = [0] * (COPY_RANK - 1)
    return copy_of(source, target, [1] * (COPY_RANK - 1) + [n], [*alone, 1], [*alone, 1], dtype, table)


def sizes(copy: AnyCopy) -> list[int]:
    """Return the number of elements along each dimension."""
    return [copy.d0, copy.d1, copy.d2, copy.d3, copy.d4, copy.d5]


def strides_read(copy: AnyCopy) -> list[int]:
    """Return the strides of the source."""
    return [copy.s0, copy.s1, copy.s2, copy.s3, copy.s4, copy.s5]


def strides_written(copy: AnyCopy) -> list[int]:
    """Return the strides of the target."""
    return [copy.t0, copy.t1, copy.t2, copy.t3, copy.t4, copy.t5]


def elements(copy: AnyCopy) -> int:
    """Return the number of copied elements."""
    return math.prod(sizes(copy))
