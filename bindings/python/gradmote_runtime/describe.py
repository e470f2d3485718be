"""The one-line description of a session that a Python prompt shows."""

from __future__ import annotations

from collections.abc import Sequence


def describe(image: bytes, parameters: Sequence[str], arena_size: int, steps: int, profile: str) -> str:
    """Return a session in a line.

    It has the model's id as in `gradmote ports`, the trained parameters, the arena in bytes, the optimizer, and the
    number of steps.
    """
    from gradmote.formats.image.read import read_image
    from gradmote.formats.kernel_selection import rule_of

    found = read_image(image)
    shown = ", ".join(parameters[:3]) + (f" and {len(parameters) - 3} more" if len(parameters) > 3 else "")
    updates = [i for p in found.programs for i in p["instructions"] if "rule" in i["operands"]]
    rules = sorted({rule_of(instruction, found.constants) for instruction in updates})
    parts = [
        f"model {found.model_id.hex()[:8]}",
        f"parameters {shown or 'none'}",
        f"arena {arena_size:,} bytes",
        f"optimizer {', '.join(rules) or 'none'}",
        f"{steps:,} steps",
        f"profile {profile}",
    ]
    return f"<Session: {'; '.join(parts)}>"
