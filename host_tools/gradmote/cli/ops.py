"""gradmote ops: what can be compiled, trained through, and run."""

from __future__ import annotations

import json

import typer

from . import options as o


def command(as_json: o.AsJson = False) -> None:
    """List ONNX operators with their gradients, and the runtime's kernels."""
    from ..generated.opcodes import OPCODES
    from ..registry import TABLE

    operators = [
        {
            "operator": op.op_type,
            "domain": op.domain or "ONNX",
            "gradient": op.gradient is not None,
            "compiles": op.lower is not None,
        }
        for op in sorted(TABLE.values(), key=lambda op: (op.domain, op.op_type))
    ]
    kernels = [{"opcode": spec["code"], "kernel": name, "meaning": spec["meaning"]} for name, spec in OPCODES.items()]
    if as_json:
        typer.echo(json.dumps({"operators": operators, "kernels": kernels}))
        return
    from rich.console import Console

    from .inspect import table_of

    console = Console()
    table = table_of("Operators", "operator", "domain", "gradient")
    for row in operators:
        table.add_row(str(row["operator"]), str(row["domain"]), "yes" if row["gradient"] else "")
    console.print(table)
    table = table_of("Kernels", "opcode#", "kernel", "meaning")
    for kernel in kernels:
        table.add_row(str(kernel["opcode"]), str(kernel["kernel"]), str(kernel["meaning"]))
    console.print(table)
