"""Train one model through every binding, and compare the states: `python -m bindings.same_state --steps 100`.

Each binding trains an MLP 64-32-10 with AdamW, one sample a step, on the data of dist.same_state, which every
language can make. The checkpoint's SHA-256 must be that of the twin with the row's profile. A module of this folder
that has ROWS adds its rows.
"""

from __future__ import annotations

import argparse
import hashlib
import pkgutil
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from dist.same_state import sample
from rich.console import Console
from rich.table import Table

import bindings
from bindings.row import Missing, Row
from gradmote import Session, optimizers
from support import digits


def main() -> int:
    """Print the table; return the number of rows that differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100, help="training steps (default: 100)")
    parser.add_argument("--only", default="", metavar="NAME", help="rows whose name contains this")
    chosen = parser.parse_args()
    table = Table("binding", "profile", "state SHA-256", "equals its twin")
    with tempfile.TemporaryDirectory() as folder:
        model = write_model(Path(folder))
        found = [(row, digest_or_missing(row, model, chosen.steps)) for row in rows() if chosen.only in row.name]
    differing = 0
    for row, digest in found:
        equal = digest == expected(row.profile, chosen.steps)
        missing = digest.startswith("not run")
        differing += not equal and not missing
        table.add_row(row.name, row.profile, digest[:32], "yes" if equal else "-" if missing else "NO")
    Console(width=110).print(table)
    return differing


def rows() -> Iterator[Row]:
    """Yield the rows of all modules in this folder, the twin's first."""
    for profile in ("fused", "strict"):
        yield Row("CPython", profile, lambda model, steps, profile=profile: twin(model.read_bytes(), profile, steps))
    for module in sorted(pkgutil.iter_modules(bindings.__path__), key=lambda module: module.name):
        if not module.name.startswith("test_"):
            yield from getattr(import_module(f"bindings.{module.name}"), "ROWS", [])


def digest_or_missing(row: Row, model: Path, steps: int) -> str:
    """Return the digest of a row, or that it was not run because a tool is missing."""
    try:
        return row.run(model, steps)
    except Missing as missing:
        return f"not run: no {missing}"


@cache
def image() -> bytes:
    """Return the image that every binding trains."""
    return digits.image(optimizers.adamw(0.003), batch=1)


def write_model(folder: Path) -> Path:
    """Write the image into a folder and return its path."""
    path = folder / "model.mote"
    path.write_bytes(image())
    return path


@cache
def expected(profile: str, steps: int) -> str:
    """Return the digest of the twin's state."""
    return twin(image(), profile, steps)


def twin(model: bytes, profile: str, steps: int) -> str:
    """Train the twin and return the SHA-256 of its checkpoint."""
    with Session(model, profile) as session:
        for step in range(steps):
            session.step(*sample(step))
        return hashlib.sha256(session.save()).hexdigest()


if __name__ == "__main__":
    raise SystemExit(main())
