"""Operators: one file each, or one for a family of small ones, with gradients and lowerings to instructions.

Files in this folder with a list OPERATORS are discovered automatically.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import onnx_ir as ir

from .operator import Backward, Operator

_MODULES = {
    name: import_module(f".{name}", __name__) for name in sorted(found.name for found in iter_modules(__path__))
}

#: The files of this folder with a list OPERATORS, without their ending.
FILES = tuple(name for name, module in _MODULES.items() if hasattr(module, "OPERATORS"))

#: The operators by (domain, op_type).
OPERATORS: dict[tuple[str, str], Operator] = {
    (operator.domain, operator.op_type): operator for file in FILES for operator in _MODULES[file].OPERATORS
}


def find(node: ir.Node) -> Operator | None:
    """Return the operator of a node, or None if Gradmote does not have it."""
    return OPERATORS.get((node.domain, node.op_type))


__all__ = ["OPERATORS", "Backward", "Operator", "find"]
