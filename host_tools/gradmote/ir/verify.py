"""The verifier, which runs between passes and stops at the first defect that a pass left.

Its messages are for developers of Gradmote, not for users.
"""

from __future__ import annotations

import onnx_ir as ir

from ..errors import GradmoteError
from .program import Program


class BrokenPass(GradmoteError):
    """A graph or program that a pass broke, which is a defect in Gradmote."""


def verify_graph(graph: ir.Graph) -> None:
    """Raise BrokenPass unless values are made before they are used, and names are unique."""
    known: set[ir.Value | None] = {None, *graph.inputs, *graph.initializers.values()}
    names = [value.name for value in known if value is not None]
    for node in graph:
        if not known.issuperset(node.inputs):
            value = next(value for value in node.inputs if value is not None and value not in known)
            raise BrokenPass(f"'{value.name}' is used by {node.name} before it is made")
        known.update(node.outputs)
        names += [name for output in node.outputs if (name := output.name)]
    if len(set(names)) != len(names):
        raise BrokenPass(f"a name is used twice: {[n for n in names if names.count(n) > 1][:3]}")


def verify_program(program: Program) -> None:
    """Raise BrokenPass if scratch is read before it is written, or a constant or an input is written."""
    written = {b.ref.buffer for b in program.bindings if b.role in ("input", "label")}
    for instruction in program.instructions:
        for ref in instruction.reads:
            buffer = ref.buffer
            if buffer not in written and buffer.region == "scratch" and buffer not in program.rows:
                raise BrokenPass(f"{program.kind}: {instruction.opcode} reads '{buffer.name}' before it is written")
        for ref in instruction.writes:
            buffer = ref.buffer
            if buffer.region in ("constant", "input"):
                raise BrokenPass(f"{program.kind}: {instruction.opcode} writes {buffer.region} '{buffer.name}'")
            written.add(buffer)
