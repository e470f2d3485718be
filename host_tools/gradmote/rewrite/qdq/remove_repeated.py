"""The pass that removes a QuantizeLinear that only repeats the preceding one.

    QuantizeLinear(DequantizeLinear(q))   becomes   q   if both have the same scale and zero point

It is exact: (q - zero) scale / scale rounds to q - zero for every 8-bit q if the product is a normal
number.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ...ir.affine import affine_of, is_dequantizer, is_quantizer
from ...ir.graph import prune

#: The smallest normal number of float32.
NORMAL = np.finfo(np.float32).tiny


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Remove every such QuantizeLinear whose output is not a graph output."""
    for node in list(graph):
        above = node.inputs[0].producer() if is_quantizer(node) and node.inputs[0] is not None else None
        if is_dequantizer(above) and not node.outputs[0].is_graph_output() and repeats(node, above):
            node.outputs[0].replace_all_uses_with(above.inputs[0])
    prune(graph)


def repeats(quantizer: ir.Node, dequantizer: ir.Node) -> bool:
    """Return whether both have the same 8-bit quantization."""
    affine = affine_of(quantizer)
    if affine is None or affine.dtype.itemsize != 1 or np.abs(affine.scale).min() < NORMAL:
        return False
    return affine.equals(affine_of(dequantizer))
