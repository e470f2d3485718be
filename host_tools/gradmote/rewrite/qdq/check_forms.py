"""The pass that refuses models that no other pass brings to the canonical form.

It refuses other forms of quantized models, types other than 8 bits, and non-finite scales, with
which every result is meaningless.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ...errors import UnsupportedOperator
from ...ir.affine import EIGHT_BITS, is_dequantizer, is_quantizer, quantized_type
from ...ir.graph import constant_array, describe

#: Operators on integers that carry their scales with them, or choose them at run time, besides QLinearConv and the
#: like.
OTHER_FORMS = ("ConvInteger", "MatMulInteger", "DynamicQuantizeLinear", "QGemm", "DynamicQuantizeMatMul")


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Check every node.

    Raises:
        UnsupportedOperator: A node is of another form or type, or its scale is infinite or not a number.
    """
    for node in graph:
        found = refusal(node)
        if found is not None:
            raise UnsupportedOperator(*found, describe(node))


def refusal(node: ir.Node) -> tuple[str, str] | None:
    """Return what is wrong with a node and what to do, or None."""
    if node.op_type.startswith("QLinear") or node.op_type in OTHER_FORMS:
        return (
            f"{node.op_type} is of another form of quantized models than QDQ",
            "quantize with QuantFormat.QDQ: QuantizeLinear and DequantizeLinear around operators of float32",
        )
    if is_quantizer(node) and quantized_type(node) not in EIGHT_BITS:
        return (f"QuantizeLinear to {quantized_type(node)}", "quantize activations and weights to int8 or uint8")
    if not has_finite_scale(node):
        return (
            f"a scale of {node.op_type} is not finite",
            "quantize the model again, and look for samples of calibration that are not finite",
        )
    return None


def has_finite_scale(node: ir.Node) -> bool:
    """Return whether the scale of a node is finite, or not constant."""
    scale = constant_array(node.inputs[1]) if is_quantizer(node) or is_dequantizer(node) else None
    return scale is None or bool(np.isfinite(scale).all())
