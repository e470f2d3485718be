"""How a parameter of a quantized model is stored: its units, its zero point and its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from ..errors import UnsupportedOperator
from ..ir.affine import Affine, affine_of, dequantizers_of
from ..ir.graph import Builder, attribute, describe
from .step_limits import bias_limit, weight_limit

#: The most units of a bias, which leaves room for as much in the sum that it starts.
BIAS_MOST = 2**30


@dataclass(frozen=True)
class Storing:
    """A parameter stored as integers q in low to high, with the real value (q - zero) units.

    `units` broadcasts over the parameter. `limit` is the longest step of an update, in units.
    """

    units: np.ndarray
    zero: np.ndarray
    low: int
    high: int
    limit: float

    def inputs(self, builder: Builder, name: str) -> list[ir.Value]:
        """Add units and zero point to the optimizer model, and return them."""
        return [builder.constant(self.units, f"{name}.units"), builder.constant(self.zero, f"{name}.zero")]

    def attributes(self) -> dict[str, Any]:
        """Return the attributes of a step that stores its result this way."""
        to = int(ir.DataType.from_numpy(self.zero.dtype))
        return {"low": self.low, "high": self.high, "limit": float(self.limit), "to": to}


def storing_of(graph: ir.Graph, name: str, array: np.ndarray, clip_steps: float | None) -> Storing | None:
    """Return how the parameter called `name` of a model is stored; None for a float32 one.

    Raises UnsupportedOperator for a quantization that no update can keep.
    """
    if array.dtype == np.float32:
        return None
    affine = quantization(graph.initializers[name])
    units = affine.spread(affine.scale, array.ndim).astype(np.float32)
    zero = affine.zero.reshape(-1)[:1].reshape(())
    if array.dtype == np.int32:
        return Storing(units, zero, -BIAS_MOST, BIAS_MOST, bias_limit(clip_steps))
    limits = np.iinfo(array.dtype)
    is_symmetric = int(zero) == 0 and (array.size == 0 or int(array.min()) > limits.min)
    longest = weight_limit(graph.initializers[name], clip_steps)
    return Storing(units, zero, limits.min + is_symmetric, limits.max, longest)


def quantization(value: ir.Value) -> Affine:
    """Return the quantization of a parameter, by the DequantizeLinear that reads it."""
    nodes = dequantizers_of(value) or []
    found = [affine_along(value, node) for node in nodes]
    same = bool(found) and all(a is not None and a.equals(found[0]) for a in found)
    if not same or found[0] is None or np.any(found[0].zero != found[0].zero.reshape(-1)[0]):
        raise UnsupportedOperator(
            f"'{value.name}' is not quantized with one scale, or with one for each channel",
            "freeze it (--freeze), or quantize it with scales that are constant and one zero point",
            describe(nodes[0]) if nodes else "",
        )
    return found[0]


def affine_along(value: ir.Value, node: ir.Node) -> Affine | None:
    """Return the quantization of a DequantizeLinear, with its axis in `value`; None if that is lost."""
    affine, at = affine_of(node), node.inputs[0]
    while affine is not None and at is not value:
        producer = at.producer() if at is not None else None
        if producer is None or (producer.op_type not in ("Transpose", "Identity") and affine.axis is not None):
            return None
        if producer.op_type == "Transpose" and affine.axis is not None:
            affine = Affine(affine.scale, affine.zero, list(attribute(producer, "perm"))[affine.axis])
        at = producer.inputs[0]
    return affine
