"""The table of all operators that a graph may hold: ONNX's, and the optimizer model's steps."""

from __future__ import annotations

import onnx_ir as ir

from .. import operators, optimizers
from ..ir.graph import DOMAIN, DOMAIN_VERSION
from ..operators import Operator

#: (domain, op_type) -> operator
TABLE: dict[tuple[str, str], Operator] = {
    **operators.OPERATORS,
    **{(o.domain, o.op_type): o for o in optimizers.OPERATORS},
}


def attach_functions(model: ir.Model) -> ir.Model:
    """Add the function bodies of the operators of Gradmote's domain that the graph uses."""
    opset = model.graph.opset_imports[""]
    used = dict.fromkeys((n.domain, n.op_type) for n in model.graph if n.domain == DOMAIN)
    for domain, op_type in used:
        function = ir.serde.deserialize_function(TABLE[(domain, op_type)].function_proto(opset))
        model.functions[function.identifier()] = function
    if used:
        model.graph.opset_imports[DOMAIN] = DOMAIN_VERSION
    return model
