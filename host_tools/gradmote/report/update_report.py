"""How an image updates its parameters.

An update is fused if each row of the gradient is applied as soon as it is computed, so that the whole
gradient never exists. Other updates read a whole gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.generated.instructions import Clamp, ClipScale, Update
from ..ir.instruction import Buffer
from ..ir.program import Compiled


@dataclass(frozen=True)
class Updates:
    """The parameters by how they are updated.

    `fused` names the parameters whose whole gradient never exists. `whole` has the bytes of the gradients
    of all others. `reason` says what needs all gradients stored before the first update, so that none is
    fused; empty if nothing does.
    """

    fused: list[str]
    whole: dict[str, int]
    reason: str


def updates_of(compiled: Compiled) -> Updates:
    """Return how all parameters are updated, in the order of the state."""
    instructions = [i for p in compiled.programs for i in p.instructions]
    reasons = ["accumulate keeps them between micro-batches"] if accumulates(compiled) else []
    clips = any(isinstance(i, Clamp) and i.phase == "update" for i in instructions)
    takes_norm = any(isinstance(i, ClipScale) for i in instructions)
    reasons += ["clip_value looks at each of them before its update"] if clips else []
    reasons += ["clip_norm takes the norm of all of them first"] if takes_norm else []
    whole = whole_gradients(compiled)
    reasons += ["with a loss scale all are checked first"] if scales(compiled) else []
    sizes = {p.name: p.buffer.size for p in compiled.parameters if p.buffer in whole or accumulates(compiled)}
    return Updates([p.name for p in compiled.parameters if p.name not in sizes], sizes, ", ".join(reasons))


def accumulates(compiled: Compiled) -> bool:
    """Return whether the image keeps gradients between micro-batches."""
    return any(p.gradient is not None for p in compiled.parameters)


def scales(compiled: Compiled) -> bool:
    """Return whether a step divides its gradients by a loss scale."""
    steps = [i for p in compiled.programs if p.kind == "step" for i in p.instructions]
    return any(isinstance(i, Update) and i.scale and i.scale.buffer.region == "constant" for i in steps)


def whole_gradients(compiled: Compiled) -> set[Buffer]:
    """Return the buffers of the parameters changed by an UPDATE.

    An UPDATE reads a whole gradient.
    """
    return {i.p.buffer for p in compiled.programs for i in p.instructions if isinstance(i, Update)}


def describe_updates(updates: Updates) -> str:
    """Return the updates in one line of text."""
    stored = sum(updates.whole.values())
    if updates.reason:
        return f"updates   not fused: all gradients are stored, {stored:,} B; {updates.reason}"
    total = len(updates.fused) + len(updates.whole)
    line = f"updates   {len(updates.fused)} of {total} parameters while the gradient is made"
    if not updates.whole:
        return line
    name = max(updates.whole, key=lambda n: updates.whole[n])
    return f"{line}; the largest gradient that is whole first: {name}, {updates.whole[name]:,} B"
