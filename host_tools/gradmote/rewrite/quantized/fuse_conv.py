"""The pattern Quantize(Conv(DequantizeLinear(x), DequantizeLinear(w), b)), which becomes QConv."""

from __future__ import annotations

from dataclasses import replace as with_fields

import numpy as np
import onnx_ir as ir

from ...ir.affine import Affine
from ...ir.graph import attribute, static_shape
from ...operators.conv import conv_attributes, conv_window
from .matching import Quantized, replace
from .product import Product, product_of


def fuse(graph: ir.Graph, node: ir.Node) -> bool:
    """Fuse one Conv if its operands are quantized; return whether they are."""
    found = product_of(node, 0) if node.op_type == "Conv" and not node.domain else None
    if found is None:
        return False
    window = conv_window(node)
    attributes = conv_attributes(window, attribute(node, "group", 1)) | {"kernel_shape": window.kernel}
    if not found.has_float_bias:
        replace(graph, node, found.result, "QConv", found.inputs(graph), **attributes)
        return True
    channels = by_channels(found, static_shape(node.inputs[1], node)[0])
    positions = list(range(1, 1 + len(window.kernel)))
    replace(graph, node, found.result, "QConvFloatBias", channels.inputs(graph), axes=positions, **attributes)
    return True


def by_channels(found: Product, channels: int) -> Product:
    """Return the operands with a weight scale for each output channel, and one zero point, as the body needs them."""
    scales = np.broadcast_to(found.w.affine.scale.reshape(-1), (channels,)).copy()
    one = found.w.affine.zero.ravel()[0]
    return with_fields(found, w=Quantized(found.w.value, Affine(scales, np.asarray(one), 0)))
