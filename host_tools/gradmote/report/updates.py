"""How an image updates its parameters: row by row while the gradient is made, or from a gradient that is whole."""

from __future__ import annotations

from dataclasses import dataclass

from ..compiler.program import Compiled


@dataclass(frozen=True)
class Updates:
    """fused: parameters whose gradient never exists whole. whole: bytes of the gradients of all others. reason: what
    needs gradients that are stored until all are made, so that none is fused; empty where nothing does."""

    fused: list[str]
    whole: dict[str, int]
    reason: str


def updates_of(compiled: Compiled) -> Updates:
    """Of all parameters, in the order of the state."""
    opcodes = {i.opcode for p in compiled.programs for i in p.instructions}
    reasons = ["accumulate keeps them between micro-batches"] if accumulates(compiled) else []
    clips = any(i.opcode == "CLAMP" and i.phase == "update" for p in compiled.programs for i in p.instructions)
    reasons += ["clip_value looks at each of them before its update"] if clips else []
    reasons += ["clip_norm takes the norm of all of them first"] if "CLIP_SCALE" in opcodes else []
    whole = whole_gradients(compiled)
    reasons += ["with a loss scale all are checked first"] if scales(compiled) else []
    sizes = {p.name: p.buffer.size for p in compiled.parameters if id(p.buffer) in whole or accumulates(compiled)}
    return Updates([p.name for p in compiled.parameters if p.name not in sizes], sizes, ", ".join(reasons))


def accumulates(compiled: Compiled) -> bool:
    return any(p.gradient is not None for p in compiled.parameters)


def scales(compiled: Compiled) -> bool:
    """Whether a step divides its gradients by a loss scale."""
    steps = [i for p in compiled.programs if p.kind == "step" for i in p.instructions]
    return any(i.opcode == "UPDATE" and (s := i.operands["scale"]) and s.buffer.region == "constant" for i in steps)


def whole_gradients(compiled: Compiled) -> set[int]:
    """Ids of the parameters' buffers that an UPDATE changes, which reads a whole gradient."""
    updates = [i for p in compiled.programs for i in p.instructions if i.opcode == "UPDATE"]
    return {id(ref.buffer) for i in updates if (ref := i.operands["p"]) is not None}


def describe_updates(updates: Updates) -> str:
    """In one line."""
    stored = sum(updates.whole.values())
    if updates.reason:
        return f"updates   not fused: all gradients are stored, {stored:,} B; {updates.reason}"
    total = len(updates.fused) + len(updates.whole)
    line = f"updates   {len(updates.fused)} of {total} parameters while the gradient is made"
    if not updates.whole:
        return line
    name = max(updates.whole, key=lambda n: updates.whole[n])
    return f"{line}; the largest gradient that is whole first: {name}, {updates.whole[name]:,} B"
