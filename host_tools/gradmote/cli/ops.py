"""The command `gradmote ops`, which lists operators and kernels."""

from __future__ import annotations

from . import options as o
from .output import say_json


def command(as_json: o.AsJson = False) -> None:
    """List ONNX operators with their gradients, and the runtime's kernels.

    Training goes through an operator with the gradient `yes`: by its own rule, or by the rules of the
    operators that replace it. `zero`: it is flat, so that no gradient passes back through it.
    """
    from ..frontend.registry import TABLE
    from ..generated.opcodes import OPCODES

    operators = [
        {
            "operator": op.op_type,
            "domain": op.domain or "ONNX",
            "gradient": op.trains == "yes",
            "trains": op.trains,
            "becomes": op.becomes,
            "compiles": op.compiles,
        }
        for op in sorted(TABLE.values(), key=lambda op: (op.domain, op.op_type))
    ]
    kernels = [{"opcode": spec["code"], "kernel": name, "meaning": spec["meaning"]} for name, spec in OPCODES.items()]
    if as_json:
        say_json({"operators": operators, "kernels": kernels})
        return
    from ..terminal.terminal import console, table

    rows = [(str(op["operator"]), str(op["domain"]), str(op["trains"]), str(op["becomes"])) for op in operators]
    console().print(table("Operators", (("operator", "domain", "gradient", "becomes"), rows)))
    names = [(str(kernel["opcode"]), str(kernel["kernel"]), str(kernel["meaning"])) for kernel in kernels]
    console().print(table("Kernels", (("opcode#", "kernel", "meaning"), names)))
