"""COPY instructions, which move elements from one set of strides to another."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..errors import UnsupportedOperator
from ..generated.instructions import Copy
from .instruction import ELEMENT_BYTES, Ref

#: One COPY has this many dimensions.
COPY_RANK = 6


def copy_of(
    source: Ref, target: Ref, dims: Sequence[int], read: Sequence[int], written: Sequence[int], dtype: str = "f32"
) -> Copy:
    """Return a COPY of `dims` elements, of which both sides have COPY_RANK sizes and strides.

    Raises UnsupportedOperator for elements of fewer than 4 bytes.
    """
    if ELEMENT_BYTES[dtype] != 4:
        raise UnsupportedOperator(f"a copy of {dtype} elements", "leave the order of the elements as it is")
    d0, d1, d2, d3, d4, d5 = dims
    s0, s1, s2, s3, s4, s5 = read
    t0, t1, t2, t3, t4, t5 = written
    return Copy(
        x=source, y=target,
        d0=d0, d1=d1, d2=d2, d3=d3, d4=d4, d5=d5,
        s0=s0, s1=s1, s2=s2, s3=s3, s4=s4, s5=s5,
        t0=t0, t1=t1, t2=t2, t3=t3, t4=t4, t5=t5,
    )  # fmt: skip


def flat_copy(source: Ref, target: Ref, n: int, dtype: str = "f32") -> Copy:
    """Return a COPY of n elements that lie side by side."""
    alone = [0] * (COPY_RANK - 1)
    return copy_of(source, target, [1] * (COPY_RANK - 1) + [n], [*alone, 1], [*alone, 1], dtype)


def sizes(copy: Copy) -> list[int]:
    """Return the number of elements along each dimension."""
    return [copy.d0, copy.d1, copy.d2, copy.d3, copy.d4, copy.d5]


def strides_read(copy: Copy) -> list[int]:
    """Return the strides of the source."""
    return [copy.s0, copy.s1, copy.s2, copy.s3, copy.s4, copy.s5]


def strides_written(copy: Copy) -> list[int]:
    """Return the strides of the target."""
    return [copy.t0, copy.t1, copy.t2, copy.t3, copy.t4, copy.t5]


def elements(copy: Copy) -> int:
    """Return the number of elements that are copied."""
    return math.prod(sizes(copy))
