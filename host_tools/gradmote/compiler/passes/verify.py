"""Runs between passes and stops at the first thing that a pass broke; its messages are for us, not for users."""

from __future__ import annotations

import onnx_ir as ir

from ...errors import GradmoteError
from ..program import Program


class BrokenPass(GradmoteError):
    """A pass left a graph or program that cannot be right: a defect in Gradmote."""


def verify_graph(graph: ir.Graph) -> None:
    """Every value is made before it is used, and every name is used once."""
    known = {*graph.inputs, *graph.initializers.values()}
    names = [v.name for v in known]
    for node in graph:
        for value in node.inputs:
            if value is not None and value not in known:
                raise BrokenPass(f"'{value.name}' is used by {node.name} before it is made")
        known.update(node.outputs)
        names += [o.name for o in node.outputs if o.name]
    if len(set(names)) != len(names):
        raise BrokenPass(f"a name is used twice: {[n for n in names if names.count(n) > 1][:3]}")


def verify_program(program: Program) -> None:
    """Scratch is written before it is read, and constants are never written."""
    written = {id(b.ref.buffer) for b in program.bindings if b.role in ("input", "label")}
    for instruction in program.instructions:
        for ref in instruction.reads:
            if ref.buffer.region == "scratch" and id(ref.buffer) not in written:
                raise BrokenPass(f"{program.kind}: {instruction.opcode} reads '{ref.buffer.name}' before it is written")
        for ref in instruction.writes:
            if ref.buffer.region in ("constant", "input"):
                raise BrokenPass(f"{program.kind}: {instruction.opcode} writes {ref.buffer.region} '{ref.buffer.name}'")
            written.add(id(ref.buffer))
