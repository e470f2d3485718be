"""The pattern Quantize(Conv(DequantizeLinear(x), DequantizeLinear(w), b)), which becomes QConv."""

from __future__ import annotations

import onnx_ir as ir

from ....model.graph import attribute
from ....operators.conv import conv_attributes, conv_window
from .matching import replace
from .product import product_of


def fuse(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse one Conv, where its operands are quantized; tell whether they are."""
    found = product_of(node, 0) if node.op_type == "Conv" and not node.domain else None
    if found is None:
        return False
    window = conv_window(node)
    attributes = conv_attributes(window, attribute(node, "group", 1)) | {"kernel_shape": window.kernel}
    op_type = "QConvFloatBias" if found.has_float_bias else "QConv"
    replace(graph, node, found.result, op_type, found.inputs(graph), **attributes)
    return True
