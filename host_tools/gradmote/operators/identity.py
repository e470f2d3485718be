"""Identity, and Cast from float32 to float32, which some exporters leave: the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..graph import attribute, describe
from .operator import Backward, Gradients, Operator

if TYPE_CHECKING:
    from ..lowering import Lowering


def gradient(back: Backward) -> Gradients:
    return [back.dy[0]]


def lower(low: Lowering, node: ir.Node) -> None:
    low.alias(node.outputs[0], node.inputs[0])


def lower_cast(low: Lowering, node: ir.Node) -> None:
    to = ir.DataType(attribute(node, "to"))
    if to != ir.DataType.FLOAT or node.inputs[0].dtype != ir.DataType.FLOAT:
        raise UnsupportedOperator(
            f"Cast from {node.inputs[0].dtype} to {to}", "feed the model float32 and keep it float32", describe(node)
        )
    low.alias(node.outputs[0], node.inputs[0])


OPERATORS = [Operator("Identity", gradient, lower), Operator("Cast", gradient, lower_cast)]
