"""Whether a quantized model trains to the same state in both numerics profiles."""

from __future__ import annotations

from ..compiler.passes.plain_losses import reads_bytes
from ..compiler.profiles import differing
from ..ir.program import Compiled


def describe_profiles(compiled: Compiled) -> list[str]:
    """Return one line for an image that trains a quantized model, otherwise none."""
    programs = [p for p in compiled.programs if p.kind in ("train", "step")]
    if not any(reads_bytes(i) for p in programs for i in p.instructions):
        return []
    others = sorted({i.opcode for i in differing(compiled)})
    if not others:
        return ["profiles  the state has the same bits on all boards"]
    return [f"profiles  the state differs between boards that round differently, because of {', '.join(others)}"]
