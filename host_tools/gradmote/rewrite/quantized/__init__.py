"""The fusion of QDQ graphs into operators on int8, right before lowering.

    Quantize(Conv(DequantizeLinear(x), DequantizeLinear(w), b))   becomes   QConv(x, w, b)

A pattern is a function that takes a node and rewrites the graph if the pattern matches. All other
nodes compute in float32 between their DequantizeLinear and Quantize. A DequantizeLinear with other
readers, such as gradients, stays for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import partial

import onnx_ir as ir

from ...ir.graph import prune, sort_nodes
from .. import fold_constants
from . import fuse_gradients, fuse_lookup, sink_dequantizers
from .fuse_products import fuse_conv, fuse_conv_transpose, fuse_gemm, fuse_matmul
from .fuse_without_weights import fuse_add, fuse_average_pool, fuse_concat

#: A pattern; returns whether it has rewritten the node.
Pattern = Callable[[ir.Graph, ir.Node], bool]


def patterns(keep: Set[str]) -> list[Pattern]:
    """Return the patterns that follow sink_dequantizers, in order."""
    return [
        fuse_conv,
        fuse_conv_transpose,
        fuse_gemm,
        fuse_matmul,
        fuse_add,
        fuse_average_pool,
        fuse_concat,
        partial(fuse_lookup.fuse, keep=keep),
        fuse_gradients.fuse,
    ]


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Fuse every node that matches a pattern. `keep` names the parameters, whose data will change."""
    moved = fuse_all(graph, [partial(sink_dequantizers.fuse, keep=keep)])
    if moved:
        fold_constants.run(graph, keep)  # moves elements of frozen weights here, not on the device
    if fuse_all(graph, patterns(keep)) or moved:
        prune(graph)
        sort_nodes(graph)


def fuse_all(graph: ir.Graph, patterns: Sequence[Pattern]) -> bool:
    """Apply one pattern after the other to every node; return whether any of them matched."""
    found = False
    for fuse in patterns:
        for node in list(graph):
            found = (node.graph is graph and fuse(graph, node)) or found
    return found
