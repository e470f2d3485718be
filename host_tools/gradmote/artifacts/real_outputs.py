"""The real numbers of a model's quantized outputs, as input for a loss."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.affine import EIGHT_BITS, Affine, affine_of, is_quantizer
from ..ir.graph import Builder
from ..rewrite.qdq.signed_values import MOVING, flipped, is_flip


def real(graph: ir.Graph, value: ir.Value) -> ir.Value:
    """Return the value, dequantized by a new DequantizeLinear if it is quantized.

    Raises UnsupportedOperator if the model does not define its scale.
    """
    if value.dtype not in EIGHT_BITS:
        return value
    affine = quantization_of(value)
    if affine is None:
        raise UnsupportedOperator(
            f"the loss of '{value.name}', which is {value.dtype} without a QuantizeLinear that makes it",
            "keep another output (--output), or name a value of float32 (loss_inputs)",
        )
    builder = Builder(graph)
    signed_value = value if value.dtype == ir.DataType.INT8 else flipped(builder, value)
    constants = [builder.constant(a, f"{value.name}.{n}") for a, n in ((affine.scale, "scale"), (affine.zero, "zero"))]
    axis: dict[str, Any] = {} if affine.axis is None else {"axis": affine.axis}
    made = builder.op("DequantizeLinear", signed_value, *constants, name=f"{value.name}.real", **axis)
    made.shape, made.type = value.shape, ir.TensorType(ir.DataType.FLOAT)
    return made


def quantization_of(value: ir.Value | None) -> Affine | None:
    """Return the quantization of the QuantizeLinear that makes a value, perhaps followed by nodes that move elements.

    Return None if there is none, if the joined parts of a value have several, or if elements with scales of their
    own channels move.
    """
    node = value.producer() if value is not None else None
    if node is None or is_quantizer(node):
        return affine_of(node) if node is not None else None
    if not is_flip(node) and (node.domain or node.op_type not in MOVING):
        return None
    parts = node.inputs if node.op_type == "Concat" else node.inputs[:1]
    first, *others = [quantization_of(part) for part in parts]
    is_one = first is not None and first.axis is None and all(first.equals(other) for other in others)
    return first if is_one else None
