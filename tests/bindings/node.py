"""The npm package in node, in both forms of the runtime."""

from __future__ import annotations

from pathlib import Path

from bindings.row import Missing, Row
from support import npm_package


def trained(model: Path, steps: int, form: str) -> str:
    """Return the digest of the state that node trains."""
    if npm_package.lacking():
        raise Missing(npm_package.lacking())
    return npm_package.node("same_state.mjs", model.resolve(), steps, form).split()[-1]


ROWS = [
    Row("node", "strict", lambda model, steps: trained(model, steps, "simd")),
    Row("node, without vectors", "strict", lambda model, steps: trained(model, steps, "plain")),
]
