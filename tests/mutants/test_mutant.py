"""A mutant is found again if lines have moved, and several of them fit into one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutants.mutant import Moved, Place, apply, function_of, mutant_of, place_in, read_drawn, write_drawn
from mutants.validator import FAULTS

TEXT = "def f(a, b):\n    return a + b\n\n\ndef g(a):\n    def h():\n        return 1\n    return a + h()\n"
FIRST = mutant_of("passes", "f.py", TEXT, Place(TEXT.index("+"), "add", "+", "-"))
LAST = mutant_of("passes", "f.py", TEXT, Place(TEXT.rindex("+"), "add", "+", "-"))


def test_where_it_stands() -> None:
    assert (FIRST.line, FIRST.column, FIRST.context) == (2, 13, "return a + b")
    assert str(FIRST) == "f.py:2: + -> -"
    assert FIRST.id.startswith("passes-") and FIRST.id != LAST.id


def test_lines_that_read_the_same_have_mutants_of_their_own() -> None:
    twice = TEXT + TEXT
    again = mutant_of("passes", "f.py", twice, Place(twice.index("+", len(TEXT)), "add", "+", "-"))
    assert again.context == FIRST.context and again.id != FIRST.id
    assert mutant_of("passes", "f.py", twice, Place(twice.index("+"), "add", "+", "-")).id == FIRST.id


def test_lines_that_moved() -> None:
    moved = "import os\n\n\n" + TEXT
    assert place_in(FIRST, moved).start == place_in(FIRST, TEXT).start + len("import os\n\n\n")
    with pytest.raises(Moved, match=f"{FIRST.id}: f.py has no line like 'return a"):
        place_in(FIRST, TEXT.replace("a + b", "b + a"))


def test_two_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text(TEXT)
    apply([FIRST, LAST], tmp_path)
    assert (tmp_path / "f.py").read_text() == TEXT.replace("+", "-")


def test_functions() -> None:
    assert [function_of("f.py", TEXT, line) for line in (2, 4, 7, 8)] == [1, 0, 6, 5]
    c = "int f(void)\n{\n    if (a) {\n        b();\n    }\n}\nint g(void)\n{\n    c();\n}\n"
    assert [function_of("f.c", c, line) for line in (4, 9)] == [2, 8]
    script = "class A {\n  f() {\n    if (a) {\n      b();\n    }\n  }\n  g() {\n    c();\n  }\n}\n"
    assert [function_of("f.ts", script, line) for line in (4, 8)] == [2, 7]


def test_drawn_ones_are_kept(tmp_path: Path) -> None:
    write_drawn(2026, [FIRST, LAST], tmp_path / "mutants.json")
    assert read_drawn(tmp_path / "mutants.json") == (2026, [FIRST, LAST])


def test_those_of_the_checkout_are_in_its_files(root: Path) -> None:
    """Draw them again if this fails, or change the entries of mutants.json and validator.json."""
    mutants = [*read_drawn()[1], *read_drawn(FAULTS)[1]]
    assert len({mutant.id for mutant in mutants}) == len(mutants) >= 130
    for mutant in mutants:
        place_in(mutant, (root / mutant.file).read_text())
