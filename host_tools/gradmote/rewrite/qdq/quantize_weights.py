"""The pass that turns float weights that a QuantizeLinear reads into int8 or uint8 constants.

    DequantizeLinear(Clip?(QuantizeLinear(w)))   becomes   DequantizeLinear(w_q)

Tools of quantization-aware training leave weights in this form. The constant takes the weight's
name, so that it is found as one of the model's own weights. A weight with other readers stays as it
is.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ...ir.affine import affine_of, is_quantizer
from ...ir.graph import constant_array, prune
from ...operators.clip import bounds
from .signed_values import set_data


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Quantize every float constant whose only reader is a QuantizeLinear."""
    for node in list(graph):
        if is_quantizer(node) and is_only_reader(node):
            quantize(graph, node)
    prune(graph)


def is_only_reader(node: ir.Node) -> bool:
    """Return whether the node quantizes a float constant that nothing else reads."""
    weight = node.inputs[0]
    array = constant_array(weight)
    return (
        array is not None
        and array.dtype == np.float32
        and len(list(weight.uses())) == 1
        and not node.outputs[0].is_graph_output()
    )


def quantize(graph: ir.Graph, node: ir.Node) -> None:
    """Replace a QuantizeLinear, and a Clip after it, by a constant."""
    affine, weight = affine_of(node), node.inputs[0]
    if affine is None or weight is None:
        return
    array, made = affine.quantize(constant_array(weight)), node.outputs[0]
    clip = clip_behind(made)
    if clip is not None:
        limits = bounds(clip)
        array, made = np.clip(array.astype(float), limits["low"], limits["high"]).astype(array.dtype), clip.outputs[0]
    made.replace_all_uses_with(weight)
    for old in (clip, node):
        if old is not None:
            graph.remove(old, safe=True)
    set_data(weight, array)


def clip_behind(value: ir.Value) -> ir.Node | None:
    """Return the Clip with constant bounds that is the value's only reader, or None."""
    uses = list(value.uses())
    clip = uses[0].node if len(uses) == 1 else None
    is_clip = clip is not None and clip.op_type == "Clip" and not clip.domain
    if clip is None or not is_clip or clip.outputs[0].is_graph_output():
        return None
    return clip if all(v is None or constant_array(v) is not None for v in clip.inputs[1:]) else None
