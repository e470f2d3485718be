"""The pattern Quantize(ConvTranspose(DequantizeLinear(x), DequantizeLinear(w), b)), which becomes QConvTranspose."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ...ir.graph import Builder, attribute, static_shape
from ...operators.conv import conv_attributes
from ...operators.conv_transpose import transposed_window
from .matching import replace
from .product import product_of


def fuse(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse one ConvTranspose if its operands are quantized; return whether they are."""
    found = product_of(node, 1) if node.op_type == "ConvTranspose" and not node.domain else None
    group = attribute(node, "group", 1)
    if found is None or (found.w.affine.axis is not None and group > 1):
        return False
    window, inputs = transposed_window(node), found.inputs(graph)
    if found.bias is None:
        channels = static_shape(node.outputs[0], node)[1]
        inputs[-1] = Builder(graph).constant(np.zeros(channels, np.int32), f"{node.outputs[0].name}.bias")
    attributes = conv_attributes(window, group) | {"kernel_shape": window.kernel, "output_padding": window.uncovered}
    op_type = "QConvTransposeFloatBias" if found.has_float_bias else "QConvTranspose"
    replace(graph, node, found.result, op_type, inputs, **attributes)
    return True
