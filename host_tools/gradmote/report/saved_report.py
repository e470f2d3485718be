"""The values of the forward pass that wait for the backward pass as bfloat16."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..ir.generated.instructions import FloatToBf16
from ..ir.program import Compiled, Program


@dataclass(frozen=True)
class Saved:
    """The values of one program that wait as bfloat16: their number, and their bytes while they wait."""

    program: str
    values: int
    bytes: int


def saved_values(compiled: Compiled) -> list[Saved]:
    """Return a Saved for each program that keeps values as bfloat16."""
    return [saved for program in compiled.programs for saved in saved_of(program)]


def saved_of(program: Program) -> Iterator[Saved]:
    """Yield the Saved of a program that keeps values as bfloat16; nothing for any other."""
    sizes = [2 * i.n for i in program.instructions if isinstance(i, FloatToBf16)]
    if sizes:
        yield Saved(program.kind, len(sizes), sum(sizes))


def describe_saved(saved: Saved) -> str:
    """Return one line about the values that wait as bfloat16."""
    are = "values wait" if saved.values > 1 else "value waits"
    return f"{saved.values} {are} as bfloat16, {saved.bytes:,} B instead of {2 * saved.bytes:,} B"
