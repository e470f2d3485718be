"""Inputs that only configure nodes, such as the bounds of a Clip: they are constant, and never trained."""

from __future__ import annotations

import onnx_ir as ir

#: Inputs that get no gradient: operator -> their indices.
SETTINGS = {
    "Resize": (1, 2, 3), "Clip": (1, 2), "Pad": (1, 2, 3), "Dropout": (1,), "OneHot": (1, 2),
    "Range": (0, 1, 2), "QuantizeLinear": (1, 2), "DequantizeLinear": (1, 2), "Quantize": (1, 2),
    **dict.fromkeys(("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"), (0, 1)),
}  # fmt: skip


def is_setting(value: ir.Value) -> bool:
    """Return whether the value only configures nodes, such as the bounds of a Clip."""
    uses = list(value.uses())
    return bool(uses) and all(use.idx in SETTINGS.get(use.node.op_type, ()) for use in uses)
