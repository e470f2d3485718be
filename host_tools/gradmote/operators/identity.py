"""Identity and Cast.

The runtime stores booleans as 1 and 0 in float32, and all integers as int32. A cast within one of
these kinds leaves the bytes unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.generated.instructions import Equal, FloatToInt
from ..ir.graph import attribute, describe
from .elementwise import emit_with_constant
from .operator import Backward, Gradients, Operator
from .whole_numbers import is_whole, to_floats

if TYPE_CHECKING:
    from ..ir.lowering import Lowering

#: Types that the runtime stores as float32 or int32.
KNOWN: tuple[ir.DataType | None, ...] = (
    ir.DataType.FLOAT, ir.DataType.BOOL, ir.DataType.INT64, ir.DataType.INT32, ir.DataType.INT16, ir.DataType.INT8,
    ir.DataType.UINT8, ir.DataType.UINT16,
)  # fmt: skip


def gradient(back: Backward) -> Gradients:
    """Return dx = dy."""
    return [back.dy[0]]


def lower(low: Lowering, node: ir.Node) -> None:
    """Make the output an alias of the input."""
    low.alias(node.outputs[0], node.inputs[0])


def lower_cast(low: Lowering, node: ir.Node) -> None:
    """Make the output an alias if the kind stays, else emit a conversion.

    Raises:
        UnsupportedOperator: The runtime lacks one of the types.
    """
    x, y, to = node.inputs[0], node.outputs[0], ir.DataType(attribute(node, "to"))
    if x.dtype not in KNOWN or to not in KNOWN:
        raise UnsupportedOperator(
            f"Cast from {x.dtype} to {to}", "feed the model float32 and keep it float32", describe(node)
        )
    if to == ir.DataType.BOOL and x.dtype != ir.DataType.BOOL:
        lower_to_truth(low, node)
    elif is_whole(x) == is_whole(y):
        low.alias(y, x)  # the runtime has one kind of integer, and booleans as 1 and 0
    elif is_whole(x):
        view = to_floats(low, node, x)
        low.set_view(y, view)
    else:
        low.emit(node, FloatToInt(x=low.ref(x), y=low.output(y), n=low.elements(y)))


def lower_to_truth(low: Lowering, node: ir.Node) -> None:
    """Emit y = (x == 0) == 0, which is 1 if x is not 0."""
    x, y = node.inputs[0], node.outputs[0]
    ref = to_floats(low, node, x).ref if is_whole(x) else low.ref(x)
    is_zero = low.scratch(f"{y.name}.is_zero", [low.elements(y)], [1]).ref
    emit_with_constant(low, node, Equal, ref, low.scalar(0.0), is_zero)
    emit_with_constant(low, node, Equal, is_zero, low.scalar(0.0), low.output(y))


CAST_LIMITS = "between float32, truth values and integers of up to 32 bits, all of them int32 in the runtime."

OPERATORS = [
    Operator("Identity", gradient, lower, any_type=True, any_width=True, any_exponent=True),
    Operator("Cast", gradient, lower_cast, any_type=True, limits=CAST_LIMITS),
]
