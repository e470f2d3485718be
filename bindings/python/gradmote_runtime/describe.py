"""The one-line description of a session that a Python prompt shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .session import Session


def describe(session: Session, image: bytes) -> str:
    """Return the session in a line.

    It has the model's id as `gradmote ports` shows it, the trained parameters, the arena, the
    optimizer, and the number of steps.
    """
    from gradmote.device.kernel_selection import rule_of
    from gradmote.formats.image.read import read_image

    found = read_image(image)
    names = session.parameter_names()
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    updates = [i for p in found.programs for i in p["instructions"] if "rule" in i["operands"]]
    rules = sorted({rule_of(instruction, found.constants) for instruction in updates})
    parts = [
        f"model {found.model_id.hex()[:8]}",
        f"parameters {shown or 'none'}",
        f"arena {session.requirements()['arena_size']:,} bytes",
        f"optimizer {', '.join(rules) or 'none'}",
        f"{session.control()['train_steps']:,} steps",
        f"profile {session.profile}",
    ]
    return f"<Session: {'; '.join(parts)}>"
