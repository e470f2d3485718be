"""A row of the table of bindings: one form of the runtime, and how it trains the model of the table."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


class Missing(Exception):
    """A tool that this computer lacks, so that a row cannot run here."""


@dataclass(frozen=True)
class Row:
    """One form of the runtime.

    profile: "fused" or "strict", whose twin it equals. run(model, steps): trains the .mote file for
    that many steps on the data of bindings.same_state, and returns the SHA-256 of its checkpoint in
    hex. It raises Missing if the computer lacks a tool for it.
    """

    name: str
    profile: str
    run: Callable[[Path, int], str]


def require(tool: str) -> str:
    """Return the path of a program. Raises Missing."""
    path = shutil.which(tool)
    if path is None:
        raise Missing(tool)
    return path
