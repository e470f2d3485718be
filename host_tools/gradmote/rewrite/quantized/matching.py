"""The parts of quantized graphs that the patterns look for, and how they rewrite them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from ...ir.affine import Affine, affine_of, is_dequantizer
from ...ir.graph import DOMAIN, Builder, attribute, take_over
from ...ir.metadata import BACKWARD, LAYER

#: Scales that differ by less than this factor count as equal: they are one number, rounded twice.
ROUNDING = 2.0**-20


@dataclass(frozen=True)
class Quantized:
    """An integer tensor, with its quantization."""

    value: ir.Value
    affine: Affine


@dataclass(frozen=True)
class Result:
    """A Quantize node: the quantization of its output, and its bounds."""

    node: ir.Node
    affine: Affine
    low: int
    high: int


def dequantized(value: ir.Value | None, *dtypes: type[np.generic]) -> Quantized | None:
    """Return the integers in front of the DequantizeLinear that makes the value; None if another node makes it.

    `dtypes` are the allowed types of the integers; by default only int8.
    """
    node = value.producer() if value is not None else None
    affine = affine_of(node) if node is not None and is_dequantizer(node) else None
    if node is None or affine is None or affine.dtype not in [np.dtype(d) for d in dtypes or (np.int8,)]:
        return None
    assert node.inputs[0] is not None
    return Quantized(node.inputs[0], affine)


def activation(value: ir.Value | None) -> Quantized | None:
    """Return an int8 tensor with one scale, or None."""
    found = dequantized(value)
    return found if found is not None and found.affine.axis is None else None


def quantizer(value: ir.Value) -> Result | None:
    """Return the Quantize node that is the value's only reader, or None."""
    uses = list(value.uses())
    if len(uses) != 1 or value.is_graph_output() or uses[0].idx != 0:
        return None
    node = uses[0].node
    if node.op_type != "Quantize" or node.domain != DOMAIN:
        return None
    affine = affine_of(node)
    if affine is None or affine.axis is not None:
        return None
    return Result(node, affine, attribute(node, "low"), attribute(node, "high"))


def same_scales(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two arrays of scales are equal up to the rounding of a product."""
    return bool(np.all(np.abs(a - b) <= ROUNDING * np.abs(b)))


def scale_and_zero(builder: Builder, name: str, affine: Affine) -> tuple[ir.Value, ir.Value]:
    """Add the constants of a quantization, and return them."""
    scale = builder.constant(affine.scale.astype(np.float32), f"{name}.scale")
    return scale, builder.constant(affine.zero, f"{name}.zero")


def replace(
    graph: ir.Graph, node: ir.Node, result: Result, op_type: str, inputs: list[ir.Value | None], **attributes: Any
) -> None:
    """Replace a Quantize node, and the float node in front of it, with one node of our own domain with its bounds."""
    builder, y = Builder(graph), result.node.outputs[0]
    bounds = {"low": result.low, "high": result.high}
    made = builder.op(op_type, *inputs, name=f"{y.name}.fused", domain=DOMAIN, **attributes, **bounds)
    for note in (LAYER, BACKWARD):
        note.copy(node, made.producer())
    take_over(graph, y, made)
    graph.remove(node, safe=True)
