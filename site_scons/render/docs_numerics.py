"""The list of elementwise opcodes in docs/NUMERICS.md; text outside the markers is written by hand and kept."""

from __future__ import annotations

from wrap_prose import wrapped

from .markers import replace_block
from .spec import DOCS_OUT, Opcode, opcodes


def rows(exact: list[Opcode]) -> list[str]:
    """Return a bullet for each opcode that has `exact`, followed by its gradient."""
    gradients = {op.name.removesuffix("_GRAD"): op for op in exact if op.name.endswith("_GRAD")}
    forward = [op for op in exact if op.name.removesuffix("_GRAD") == op.name or not has_forward(op, exact)]
    pairs = [(op, gradients.get(op.name)) for op in forward]
    return ["- " + " ".join(f"**{op.name}** {op.exact}." for op in pair if op) for pair in pairs]


def has_forward(gradient: Opcode, exact: list[Opcode]) -> bool:
    """Return whether the forward opcode of this gradient has a bullet too."""
    return gradient.name.removesuffix("_GRAD") in {op.name for op in exact}


def render() -> dict[str, str]:
    """Return the page with the list."""
    block = "\n".join(rows([op for op in opcodes() if op.exact]))
    page = replace_block((DOCS_OUT / "NUMERICS.md").read_text(), "elementwise opcodes", block, "docs/NUMERICS.md")
    return {"NUMERICS.md": wrapped(page)}
