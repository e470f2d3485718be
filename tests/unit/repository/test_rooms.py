"""Imports go one way: the table of docs/ARCHITECTURE.md is the order of the rooms, and every import keeps to it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import structure

TABLE = re.compile(r"<!-- rooms -->\n(.*?)<!-- end -->", re.DOTALL)


@cache
def rows() -> dict[str, int]:
    """Return room -> the number of its row in the table."""
    found = TABLE.search((structure.ROOT / "docs" / "ARCHITECTURE.md").read_text())
    assert found is not None
    lines = found[1].splitlines()[2:]
    return {room: number for number, line in enumerate(lines) for room in re.findall(r"`(\w+)`", line.split("|")[1])}


def room_of(module: str) -> str:
    """Return the folder, or the file at the top, that a module is in; the package itself is a room of its own."""
    package, _, rest = module.partition(".")
    return rest.split(".")[0] if package == "gradmote" and rest else package


def test_every_import_is_of_a_room_above() -> None:
    wrong = [
        f"{module} imports {other}"
        for module in structure.modules()
        for other in structure.imports_of(module)
        if room_of(module) != room_of(other) and rows()[room_of(module)] <= rows()[room_of(other)]
    ]
    assert wrong == []


def test_the_table_has_every_room() -> None:
    assert {room_of(module) for module in structure.modules()} == set(rows())


def test_no_room_is_empty() -> None:
    for room in set(rows()) - {"gradmote", "gradmote_runtime"}:
        path = Path(structure.PACKAGE, room)
        assert path.with_suffix(".py").exists() or any(path.glob("*.py")), room
