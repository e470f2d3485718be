"""How far one update may move an integer of a quantized model. docs/QUANTIZATION.md has the measurements."""

from __future__ import annotations

import onnx_ir as ir

from ..ir.affine import dequantizers_of

#: A step limit that means no limit.
ANY_STEP = 2.0**30

#: A bias counts in units of weight and input. One scale of a weight, times a full input, is this many of them.
FULL_INPUT = 128.0

#: The scales that a weight may move if clip_steps is not given: in a dense layer, which uses it once for a sample.
DENSE_STEPS = 8.0

#: The same for all other weights. The gradient of a convolution's is a sum over all places of a picture; without batch
#: norms a single large one can ruin the network.
SHARED_STEPS = 2.0


def weight_limit(weight: ir.Value, clip_steps: float | None) -> float:
    """Return the longest step of a weight, in its units."""
    if clip_steps is None:
        return DENSE_STEPS if is_dense(weight) else SHARED_STEPS
    return clip_steps or ANY_STEP


def bias_limit(clip_steps: float | None) -> float:
    """Return the longest step of an int32 bias, in its units: as far as a full input of one weight, or any."""
    return (clip_steps or 0.0) * FULL_INPUT or ANY_STEP


def is_dense(weight: ir.Value) -> bool:
    """Return whether only products of matrices with one row for each sample read the weight."""
    readers = [node for dequantizer in dequantizers_of(weight) or [] for node in _readers(dequantizer.outputs[0])]
    return bool(readers) and all(_has_rows_of_samples(node) for node in readers)


def _readers(value: ir.Value) -> list[ir.Node]:
    """Return the nodes that read a value, or a Transpose of it."""
    found: list[ir.Node] = []
    for node in value.consumers():
        found += _readers(node.outputs[0]) if node.op_type == "Transpose" else [node]
    return found


def _has_rows_of_samples(node: ir.Node) -> bool:
    shape = node.outputs[0].shape
    return node.op_type == "Gemm" or (node.op_type == "MatMul" and shape is not None and len(shape) <= 2)
