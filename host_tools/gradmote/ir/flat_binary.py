"""Broadcasting instructions of two operands, on contiguous elements."""

from __future__ import annotations

from .generated.instructions import AddLike
from .instruction import Ref


def flat_binary(kind: type[AddLike], a: Ref, b: Ref, y: Ref, n: int, a_step: int = 1, b_step: int = 1) -> AddLike:
    """Return an instruction on n elements; an operand with step 0 is one number for all of them."""
    return kind(
        a=a, b=b, y=y,
        d0=1, d1=1, d2=1, d3=n,
        a0=0, a1=0, a2=0, a3=a_step,
        b0=0, b1=0, b2=0, b3=b_step,
    )  # fmt: skip
