"""Conversions of integer data to the nearest float32, for Cast and the comparisons."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import IntToFloat
from ..ir.graph import constant_array, describe, static_shape
from ..ir.strides import contiguous, same_walk

if TYPE_CHECKING:
    from ..ir.lowering import Lowering, View

#: float32 represents every integer below this number, and no integer above it rounds to one of those.
EXACT = 1 << 24


def is_whole(value: ir.Value | None) -> bool:
    """Return whether a value holds integers; booleans do not count."""
    dtype = value.dtype if value is not None else None
    return dtype not in (None, ir.DataType.BOOL) and not dtype.is_floating_point()


def to_floats(low: Lowering, node: ir.Node, value: ir.Value) -> View:
    """Return the integers of a value as float32.

    Integers repeated by strides of 0 are converted once.
    """
    from ..ir.lowering import View

    shape, view = static_shape(value, node), low.view(value)
    once = [1 if stride == 0 else dim for dim, stride in zip(shape, view.strides, strict=True)]
    if not same_walk(once, view.strides, contiguous(once)):
        once, view = list(shape), View(low.ref(value), contiguous(shape))
    made = low.scratch(f"{value.name}.float", once, contiguous(once))
    low.emit(node, IntToFloat(x=view.ref, y=made.ref, n=math.prod(once)))
    strides = [0 if o < d else s for o, d, s in zip(once, shape, made.strides, strict=True)]
    return View(made.ref, strides)


def comparable(low: Lowering, node: ir.Node, value: ir.Value) -> View:
    """Return an operand of a comparison as float32.

    If integers are compared, one side must be known, and below 2^24: then rounding the other to float32
    does not change the result.

    Raises:
        UnsupportedOperator: Neither side is known and small.
    """
    from ..ir.lowering import View

    if not is_whole(value):
        return low.view(value)
    array = constant_array(value)
    if array is None:
        if not any(is_small(constant_array(other)) for other in node.inputs):
            raise UnsupportedOperator(
                f"{node.op_type} of integers, none of them known",
                f"compare with constants below {EXACT:,}, or feed the model float32",
                describe(node),
            )
        return to_floats(low, node, value)
    return View(low.constant(np.ascontiguousarray(array, np.float32).tobytes()), contiguous(array.shape))


def is_small(array: np.ndarray | None) -> bool:
    """Return whether the array is known, and its absolute values are below 2^24."""
    return array is not None and bool((np.abs(array.astype(np.float64)) < EXACT).all())
