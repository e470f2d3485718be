"""The pass that turns each QuantizeLinear to int8 into Quantize of our own domain.

    QuantizeLinear(Relu(x))         becomes   Quantize <low = q(0), high = 127> (x)
    QuantizeLinear(Clip(x, a, b))   becomes   Quantize <low = q(a), high = q(b)> (x)

q is the quantization. The result is exact because q is monotonic: q(max(x, a)) = max(q(x), q(a)).
A Clip after the QuantizeLinear becomes bounds too. A Relu that other nodes read stays.
"""

from __future__ import annotations

import math
from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ...ir.affine import Affine, affine_of, is_quantizer
from ...ir.graph import DOMAIN, Builder, constant_array, prune, sort_nodes, take_over
from ...operators.clip import bounds
from .weights import clip_behind


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Rewrite every QuantizeLinear to int8 with a single scale."""
    for node in list(graph):
        affine = affine_of(node) if is_quantizer(node) else None
        if affine is not None and affine.axis is None and affine.dtype == np.int8:
            rewrite(graph, node, affine)
    prune(graph)
    sort_nodes(graph)


def rewrite(graph: ir.Graph, node: ir.Node, affine: Affine) -> None:
    """Replace one QuantizeLinear, with the adjacent nodes that only bound its values."""
    x, low, high = bounded(node.inputs[0], affine)
    clip = clip_behind(node.outputs[0])
    if clip is not None:
        limits = bounds(clip)
        low, high = (int(min(max(b, limits["low"]), limits["high"])) for b in (low, high))
    builder, y = Builder(graph), (clip or node).outputs[0]
    zero = builder.constant(affine.zero, f"{y.name}.zero")
    scale = builder.constant(affine.scale, f"{y.name}.scale")
    made = builder.op("Quantize", x, scale, zero, name=f"{y.name}.bounded", domain=DOMAIN, low=low, high=high)
    take_over(graph, y, made)
    if clip is not None:
        graph.remove(node, safe=True)


def bounded(x: ir.Value, affine: Affine) -> tuple[ir.Value, int, int]:
    """Return the value in front of all Relus and Clips that only quantizers read, and their bounds on q."""
    low, high = -128, 127
    while (limits := limits_of(x)) is not None:
        least, most = (int(affine.quantize(np.float32(limit))) for limit in limits)
        low, high = (min(max(b, least), most) for b in (low, high))
        x = x.producer().inputs[0]  # type: ignore[assignment]
    return x, low, high


def limits_of(x: ir.Value) -> tuple[float, float] | None:
    """Return the bounds of a Relu or Clip that makes x if all its readers quantize it; else None."""
    node, users = x.producer(), [use.node for use in x.uses()]
    if node is None or node.domain or x.is_graph_output() or not all(map(is_quantizer, users)):
        return None
    if node.op_type == "Relu":
        return 0.0, math.inf
    if node.op_type != "Clip" or any(v is not None and constant_array(v) is None for v in node.inputs[1:]):
        return None
    limits = bounds(node)
    return limits["low"], limits["high"]
