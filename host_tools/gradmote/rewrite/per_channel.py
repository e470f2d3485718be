"""A vector of one number per channel, reshaped so that it broadcasts over (N, C, space)."""

from __future__ import annotations

import onnx_ir as ir

from ..ir.graph import Builder


def per_channel(builder: Builder, value: ir.Value, ones: list[int]) -> ir.Value:
    """Return the vector (C) as (C, 1, ...)."""
    if not ones:
        return value
    axes = builder.constant(list(range(1, 1 + len(ones))), f"{value.name}.axes")
    shaped = builder.op("Unsqueeze", value, axes, name=f"{value.name}.per_channel")
    if value.shape is not None:
        shaped.shape, shaped.type = ir.Shape([*list(value.shape), *ones]), value.type
    return shaped
