"""The fusion of QDQ graphs to operators on int8, right before lowering.

    Quantize(Conv(DequantizeLinear(x), DequantizeLinear(w), b))   becomes   QConv(x, w, b)

Each file has one pattern: a function that takes a node and rewrites the graph where the pattern is
there. What stays is computed in float32 between its DequantizeLinear and its Quantize. A
DequantizeLinear that other nodes read too, such as those of gradients, stays for them.
"""

from __future__ import annotations

from collections.abc import Callable, Set

import onnx_ir as ir

from ....model.graph import prune
from . import (
    fuse_add,
    fuse_average_pool,
    fuse_concat,
    fuse_conv,
    fuse_conv_transpose,
    fuse_gemm,
    fuse_gradients,
    fuse_lookup,
    fuse_matmul,
    sink_dequantizers,
)

#: The patterns in their order; each tells whether it has rewritten the node.
PATTERNS: list[Callable[[ir.Graph, ir.Node], bool]] = [
    sink_dequantizers.fuse,
    fuse_conv.fuse,
    fuse_conv_transpose.fuse,
    fuse_gemm.fuse,
    fuse_matmul.fuse,
    fuse_add.fuse,
    fuse_average_pool.fuse,
    fuse_concat.fuse,
    fuse_lookup.fuse,
    fuse_gradients.fuse,
]


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Fuse every node for which there is a pattern."""
    found = False
    for fuse in PATTERNS:
        for node in list(graph):
            found = (node.graph is graph and fuse(graph, node)) or found
    if found:
        prune(graph)
        graph.sort()
