"""What operators along one axis share: a tensor seen as (outer, classes, inner)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import onnx_ir as ir

from ..graph import attribute, normalize_axis, static_shape
from .operator import LoweringRule

if TYPE_CHECKING:
    from ..lowering import Lowering


def split_at(shape: tuple[int, ...], axis: int) -> dict[str, int]:
    """Sizes before, at and after `axis`."""
    return {"outer": math.prod(shape[:axis]), "classes": shape[axis], "inner": math.prod(shape[axis + 1 :])}


def lower_along_axis(opcode: str, *operands: str) -> LoweringRule:
    """The lowering of an operator along attribute `axis` (default -1; gradients have it as a list, `axes`); the last of
    `operands` is its output."""

    def lower(low: Lowering, node: ir.Node) -> None:
        y = node.outputs[0]
        axis = normalize_axis(attribute(node, "axes", [attribute(node, "axis", -1)])[0], y, node)
        refs = {name: low.ref(value) for name, value in zip(operands[:-1], node.inputs, strict=True)}
        refs[operands[-1]] = low.output(y)
        low.emit(opcode, node, refs, split_at(static_shape(y, node), axis))

    return lower
