"""Every operator that a graph of ours may hold: ONNX's, and the steps of the optimizer model."""

from __future__ import annotations

from . import operators, optimizers
from .operators import Operator

#: (domain, op_type) -> operator
TABLE: dict[tuple[str, str], Operator] = {
    **operators.OPERATORS,
    **{(o.domain, o.op_type): o for o in optimizers.OPERATORS},
}
