"""The affine quantization of a QuantizeLinear or DequantizeLinear: real = (q - zero) scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from .graph import attribute, constant_array

#: ONNX's default axis of scales.
_AXIS = 1
#: The types of quantized values that passes over QDQ graphs accept.
EIGHT_BITS = (ir.DataType.INT8, ir.DataType.UINT8)
QUANTIZED = (*EIGHT_BITS, ir.DataType.INT32)
#: Operators that may be between a constant and its DequantizeLinear, or after that.
VIEWS = ("Identity", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten")


@dataclass(frozen=True)
class Affine:
    """Scales and zero points: one of each, or one for each channel along `axis`.

    `scale` is float32 and `zero` has the type of the quantized values; both are scalars or vectors.
    """

    scale: np.ndarray
    zero: np.ndarray
    axis: int | None = None

    @property
    def dtype(self) -> np.dtype:
        """Return the type of the quantized values."""
        return self.zero.dtype

    def spread(self, array: np.ndarray, rank: int) -> np.ndarray:
        """Return scales or zero points in a shape that broadcasts over a tensor of this rank."""
        if self.axis is None:
            return array.reshape(())
        return array.reshape([-1 if d == self.axis else 1 for d in range(rank)])

    def quantize(self, real: np.ndarray) -> np.ndarray:
        """Return clamp(rne(x / scale) + zero), which is what QuantizeLinear computes."""
        limits = np.iinfo(self.dtype)
        divided = np.asarray(real, np.float32) / self.spread(self.scale, real.ndim)
        moved = np.rint(divided).astype(np.float64) + self.spread(self.zero, real.ndim)
        return np.clip(moved, limits.min, limits.max).astype(self.dtype)

    def dequantize(self, quantized: np.ndarray) -> np.ndarray:
        """Return (q - zero) scale in float32, which is what DequantizeLinear computes."""
        centred = quantized.astype(np.int64) - self.spread(self.zero, quantized.ndim)
        return (centred.astype(np.float32) * self.spread(self.scale, quantized.ndim)).astype(np.float32)

    def equals(self, other: Affine | None) -> bool:
        """Return whether both give the same real number for every quantized value."""
        return (
            other is not None
            and self.axis == other.axis
            and self.dtype == other.dtype
            and np.array_equal(self.scale, other.scale)
            and np.array_equal(self.zero, other.zero)
        )


def is_quantizer(node: ir.Node | None) -> bool:
    """Return whether a node is ONNX's QuantizeLinear."""
    return node is not None and node.op_type == "QuantizeLinear" and not node.domain


def is_dequantizer(node: ir.Node | None) -> bool:
    """Return whether a node is ONNX's DequantizeLinear."""
    return node is not None and node.op_type == "DequantizeLinear" and not node.domain


def affine_of(node: ir.Node) -> Affine | None:
    """Return the quantization of a node of either kind; None if it is computed, blocked or not 8-bit.

    DequantizeLinear may also be 32-bit, as for biases.
    """
    scale = constant_array(node.inputs[1])
    dtype = quantized_type(node)
    if scale is None or scale.dtype != np.float32 or dtype not in QUANTIZED:
        return None
    if attribute(node, "block_size", 0) or attribute(node, "precision", 0) not in (0, ir.DataType.FLOAT):
        return None
    given = node.inputs[2] if len(node.inputs) > 2 else None
    zero = constant_array(given) if given is not None else np.zeros(scale.shape, dtype.numpy())
    if zero is None or zero.size != scale.size:
        return None
    if scale.size == 1:
        return Affine(scale.reshape(()), zero.reshape(()))
    x = node.inputs[0]
    rank = len(x.shape) if x is not None and x.shape is not None else None
    axis = attribute(node, "axis", _AXIS)
    if axis < 0 and rank is None:
        return None
    return Affine(scale, zero, axis % rank if rank else axis)


def quantized_type(node: ir.Node) -> ir.DataType | None:
    """Return the type of a node's quantized side; ONNX's default for QuantizeLinear is uint8."""
    zero = node.inputs[2] if len(node.inputs) > 2 else None
    if is_dequantizer(node):
        return node.inputs[0].dtype  # type: ignore[union-attr]
    if zero is not None:
        return zero.dtype
    stated = attribute(node, "output_dtype", 0)
    return ir.DataType(stated) if stated else ir.DataType.UINT8


def dequantizers_of(value: ir.Value) -> list[ir.Node] | None:
    """Return the DequantizeLinears that read a value, perhaps through VIEWS.

    Return None if anything else reads it, or nothing does.
    """
    found: list[ir.Node] = []
    for use in value.uses():
        following = None
        if use.idx == 0 and is_dequantizer(use.node):
            following = [use.node]
        elif use.idx == 0 and use.node.op_type in VIEWS and not use.node.domain:
            following = dequantizers_of(use.node.outputs[0])
        if following is None:
            return None
        found += following
    return found if found and not value.is_graph_output() else None


def real_numbers(value: ir.Value) -> np.ndarray | None:
    """Return the real numbers of a quantized constant, in its own shape.

    Return None if its DequantizeLinears disagree, or one has unknown parameters.
    """
    array, users = constant_array(value), dequantizers_of(value)
    found = [real_through(array, value, node) for node in users or ()] if array is not None else []
    agree = bool(found) and all(f is not None and np.array_equal(f, found[0]) for f in found)  # type: ignore[arg-type]
    return found[0] if agree else None


def real_through(array: np.ndarray, value: ir.Value, dequantizer: ir.Node) -> np.ndarray | None:
    """Return the real numbers that one DequantizeLinear makes of a constant, in the constant's shape."""
    views: list[ir.Node] = []
    at = dequantizer.inputs[0]
    while at is not None and at is not value:
        views.insert(0, at.producer())  # type: ignore[arg-type]
        at = views[0].inputs[0]
    affine = affine_of(dequantizer)
    index = np.arange(array.size).reshape(array.shape)  # source of each element of the last view
    for view in views:
        perm = attribute(view, "perm", list(reversed(range(index.ndim))))
        shape = view.outputs[0].shape
        if view.op_type != "Transpose" and (shape is None or not shape.is_static()):
            return None
        index = index.transpose(perm) if view.op_type == "Transpose" else index.reshape(shape.numpy())  # type: ignore[union-attr]
    if affine is None:
        return None
    real = np.empty(array.size, np.float32)
    real[index] = affine.dequantize(array.reshape(-1)[index])
    return real.reshape(array.shape)
