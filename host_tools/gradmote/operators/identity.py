"""Identity, and Cast to float32 from float32, which some exporters leave, or from truth values, which are 1 and 0: the
same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import attribute, describe
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..lowering import Lowering

CASTABLE: tuple[ir.DataType | None, ...] = (ir.DataType.FLOAT, ir.DataType.BOOL)


def gradient(back: Backward) -> Gradients:
    return [back.dy[0]]


def lower(low: Lowering, node: ir.Node) -> None:
    low.alias(node.outputs[0], node.inputs[0])


def lower_cast(low: Lowering, node: ir.Node) -> None:
    to = ir.DataType(attribute(node, "to"))
    if is_index(to) and is_index(node.inputs[0].dtype):
        low.alias(node.outputs[0], node.inputs[0])  # the runtime has one kind of integer
    elif to != ir.DataType.FLOAT or node.inputs[0].dtype not in CASTABLE:
        raise UnsupportedOperator(
            f"Cast from {node.inputs[0].dtype} to {to}", "feed the model float32 and keep it float32", describe(node)
        )
    else:
        low.alias(node.outputs[0], node.inputs[0])


def is_index(dtype: ir.DataType | None) -> bool:
    return dtype in (ir.DataType.INT32, ir.DataType.INT64)


CAST_LIMITS = "only to float32, from float32 and truth values, and between int32 and int64."

OPERATORS = [
    Operator("Identity", gradient, lower, any_type=True),
    Operator("Cast", gradient, lower_cast, any_type=True, limits=CAST_LIMITS),
]
