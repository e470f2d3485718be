"""Trained integers written into the user's QDQ model, in the model's own form.

Training has int8 weights with the zero point 0 if they fit (rewrite.qdq). The model may have uint8,
another zero point, or float32 in front of a QuantizeLinear.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper

from ..frontend import QuantizedConstant
from ..frontend.branch_weights import tensors_of
from ..frontend.float_weights import dequantizers_behind, remove_quantizer
from ..frontend.free_batch import new_name

#: An int16 master holds 256 q + 128 and a fraction: the int8 weight is its high byte.
_MASTER_SHIFT = 8


def without_fraction(data: np.ndarray) -> np.ndarray:
    """Return int8 weights of an int16 master; other types stay."""
    return (data >> _MASTER_SHIFT).astype(np.int8) if data.dtype == np.int16 else data


def write_weight(graph: onnx.GraphProto, name: str, before: QuantizedConstant, after: np.ndarray) -> None:
    """Write a weight whose canonical integers have become `after`.

    Its type and its zero point stay. If an integer does not fit with this zero point, which training had
    at 0, the zero point moves to the middle of the type.
    """
    tensor = tensor_called(graph, name)
    if tensor.data_type == onnx.TensorProto.FLOAT:
        remove_quantizer(graph, name)
    dtype = before.own.dtype
    limits = np.iinfo(dtype)
    moved = before.own.astype(np.int64) - before.canonical + after
    if moved.size and (moved.min() < limits.min or moved.max() > limits.max):
        middle = (int(limits.min) + int(limits.max) + 1) // 2
        moved = after.astype(np.int64) + middle
        for node in dequantizers_behind(graph, name):
            give_zero_point(graph, node, dtype.type(middle))
    tensor.CopyFrom(numpy_helper.from_array(moved.astype(dtype), name))


def tensor_called(graph: onnx.GraphProto, name: str) -> onnx.TensorProto:
    """Return the data of an initializer or a Constant node."""
    return next(tensor.data for tensor in tensors_of(graph) if tensor.name == name)


def give_zero_point(graph: onnx.GraphProto, node: onnx.NodeProto, zero: np.generic) -> None:
    """Give a DequantizeLinear another zero point, shared by all channels."""
    shape = numpy_helper.to_array(tensor_called(graph, node.input[1])).shape
    name = new_name(graph, f"{node.output[0]}.zero_point")
    graph.initializer.append(numpy_helper.from_array(np.full(shape, zero), name))
    node.input[2] = name
