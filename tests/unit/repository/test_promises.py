"""docs/MIGRATING.md lists what On-Device Training promised, with a call in each language: each exists and is tested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runtime_sources import ROOT

#: Language -> its sources, and the programs that test them. Most of Swift is only checked by its sources.
WHERE = {
    "Python": (["host_tools/gradmote/training", "bindings/python"], ["tests/numeric"]),
    "C": (["runtime_c/include"], ["tests/c", "tests/bindings/programs/Migrated.c", "tests/numeric"]),
    "C++": (["bindings/cpp"], ["tests/toolchain/cpp", "tests/bindings/programs"]),
    "C#": (["bindings/csharp/src"], ["tests/bindings/programs", "bindings/csharp/examples"]),
    "Java": (["bindings/java/src"], ["tests/bindings/programs", "bindings/java/examples"]),
    "JavaScript": (["bindings/js/src"], ["tests/bindings/js"]),
    "Objective-C": (["bindings/objc"], ["tests/bindings/programs"]),
    "Swift": (["bindings/swift/Gradmote"], []),
}
NONE = "—"


def table() -> list[list[str]]:
    """Return the rows of the table, the head first."""
    page = (ROOT / "docs" / "MIGRATING.md").read_text()
    lines = page.partition("<!-- promises -->\n")[2].partition("<!-- end -->")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if set(row[0]) != {"-"}]


def text_of(places: list[str]) -> str:
    """Return the text of all files in some folders, or of some files."""
    found = []
    for place in map(Path, places):
        path = ROOT / place
        files = [path] if path.is_file() else [file for file in sorted(path.rglob("*")) if file.is_file()]
        found += [file.read_text(errors="ignore") for file in files if "__pycache__" not in file.parts]
    return "\n".join(found)


def test_the_table_names_every_language() -> None:
    head, *rows = table()
    assert head[1:] == list(WHERE)
    assert len(rows) >= 10
    assert all(len(row) == len(head) for row in rows)


@pytest.mark.parametrize("language", WHERE)
def test_each_call_exists_and_is_tested(language: str) -> None:
    head, *rows = table()
    sources, tests = map(text_of, WHERE[language])
    for row in rows:
        cell = row[head.index(language)]
        names = re.findall(r"`(\w+)`", cell)
        assert names or cell == NONE, row[0]
        for name in names:
            assert re.search(rf"\b{name}\b", sources), f"{language} has no {name}"
            assert not tests or re.search(rf"\b{name}\b", tests), f"no test calls {name} in {language}"
