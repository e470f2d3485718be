"""The pass that makes the zero points of quantized weights 0 if all q - zero fit their type.

The real numbers stay bitwise equal: (q - zero) scale = ((q - zero) - 0) scale.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx_ir as ir

from ...ir.affine import Affine, affine_of, dequantizers_of
from ...ir.graph import constant_array
from .signed_values import set_data


def run(graph: ir.Graph, keep: Set[str]) -> None:
    """Centre every constant that only DequantizeLinears of one quantization read."""
    for value in list(graph.initializers.values()):
        array = constant_array(value)
        users = dequantizers_of(value) if array is not None and array.dtype == np.int8 else None
        affine = common_quantization(value, users) if users else None
        centred = centred_by(array, affine) if affine is not None else None
        if centred is not None:
            set_data(value, centred)
            for node in users or ():
                node.resize_inputs(2)


def common_quantization(value: ir.Value, users: list[ir.Node]) -> Affine | None:
    """Return the quantization of a constant if its readers agree and its zero points are not 0.

    A zero point for each channel is known for the constant itself, but not for a view of it.
    """
    first, *others = [affine_of(node) for node in users]
    if first is None or not first.zero.any() or not all(first.equals(other) for other in others):
        return None
    if np.unique(first.zero).size == 1:
        return Affine(first.scale, first.zero.reshape(-1)[:1].reshape(()))
    return first if all(node.inputs[0] is value for node in users) else None


def centred_by(array: np.ndarray, affine: Affine) -> np.ndarray | None:
    """Return q - zero; None if some of it does not fit the type."""
    limits = np.iinfo(array.dtype)
    moved = array.astype(np.int64) - affine.spread(affine.zero, array.ndim).astype(np.int64)
    fits = moved.size and limits.min <= int(moved.min()) and int(moved.max()) <= limits.max
    return moved.astype(array.dtype) if fits else None
