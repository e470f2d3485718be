"""The real numbers that quantized outputs of a model stand for, which a loss takes."""

from __future__ import annotations

import onnx_ir as ir

from ..compiler.passes.qdq.signed_values import flipped, is_flip
from ..errors import UnsupportedOperator
from ..model.affine import EIGHT_BITS, VIEWS, is_quantizer
from ..model.graph import Builder


def real(graph: ir.Graph, value: ir.Value) -> ir.Value:
    """Return the value, or behind a new DequantizeLinear what it stands for, where it is quantized.

    Raises UnsupportedOperator where the model does not say by which scale.
    """
    if value.dtype not in EIGHT_BITS:
        return value
    quantizer = quantizer_of(value)
    if quantizer is None:
        raise UnsupportedOperator(
            f"the loss of '{value.name}', which is {value.dtype} without a QuantizeLinear that makes it",
            "keep another output (--output), or name a value of float32 (loss_inputs)",
        )
    builder = Builder(graph)
    signed = value if value.dtype == ir.DataType.INT8 else flipped(builder, value)
    made = builder.op("DequantizeLinear", signed, *quantizer.inputs[1:], name=f"{value.name}.real")
    made.shape, made.type = value.shape, ir.TensorType(ir.DataType.FLOAT)
    return made


def quantizer_of(value: ir.Value | None) -> ir.Node | None:
    """Return the QuantizeLinear that makes a value, perhaps in front of views and FlipSign; else None."""
    node = value.producer() if value is not None else None
    while node is not None and (is_flip(node) or (node.op_type in VIEWS and not node.domain)):
        node = node.inputs[0].producer() if node.inputs[0] is not None else None
    return node if is_quantizer(node) else None
