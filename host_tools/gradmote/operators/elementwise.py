"""What operators on each element by itself share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from ..graph import attribute
from .operator import LoweringRule

if TYPE_CHECKING:
    from ..lowering import Lowering


def lower_flat(opcode: str, *operands: str, **attributes: float) -> LoweringRule:
    """The lowering of an elementwise operator: its inputs, all of one shape, are `operands` but the last, its output.
    `attributes` are ONNX attributes that the instruction takes as parameters, with their defaults."""

    def lower(low: Lowering, node: ir.Node) -> None:
        layout = low.common_layout(node.inputs)
        place = low.ref if layout is None else lambda value: low.view(value).ref
        refs = {name: place(value) for name, value in zip(operands[:-1], node.inputs, strict=True)}
        refs[operands[-1]] = low.output(node.outputs[0], layout)
        params = {name: attribute(node, name, default) for name, default in attributes.items()}
        low.emit(opcode, node, refs, {"n": low.elements(node.outputs[0]), **params})

    return lower
