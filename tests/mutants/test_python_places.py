"""Mutants of Python do not change what only people or type checkers read."""

from __future__ import annotations

import ast
import random

import pytest

from mutants.draw import by_chance
from mutants.mutant import ROOT, Place
from mutants.python_places import PACKAGES, changes, place_of, span, without_effect

TEXT = '''"""Adds 1 + 1."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from os import sep  # 1
    LEVEL = 1
Size = int | None
@cached(maxsize=3)
def f(a: int | None, b=4) -> str | None:
    """Return a + b."""
    if a < b and True:
        raise ValueError(f"ä {a - 1}", a + 1)
    print(a * 5)
    return "é" + a[6:]
class C:
    def __repr__(self):
        return self.a + 7
'''


def test_what_has_no_effect() -> None:
    spans = [span(node, TEXT) for node in without_effect(ast.parse(TEXT))]
    left = "".join(letter for at, letter in enumerate(TEXT) if not any(start <= at < end for start, end in spans))
    assert [digit for digit in left if digit.isdigit()] == list("1146")  # two of the docstring
    assert "|" not in left and "raise" not in left and 'return "é" + a[6:]' in left


@pytest.mark.skipif(not (ROOT / PACKAGES).exists(), reason="cosmic-ray is not installed, which `draw` asks for")
def test_changes() -> None:
    made = [place_of(change, TEXT) for change in changes(TEXT)]
    found = {(place.before, place.after) for place in made if place}
    assert {("<", "<="), ("and", "or"), ("True", "False"), ("4", "5"), ("6", "7"), ("+", "-")} <= found
    assert not {("|", "&"), ("1", "2"), ("3", "4"), ("5", "6"), ("7", "8"), ("*", "//")} & found
    for place in made:
        assert place is None or ast.dump(ast.parse(place.mutated(TEXT))) != ast.dump(ast.parse(TEXT))


def test_no_operator_crowds_out_others() -> None:
    many = [Place(at, "number", "1", "2") for at in range(50)] + [Place(90, "not", "not", "")]
    drawn = [list(by_chance(many, random.Random(seed))) for seed in range(20)]
    assert all(sorted(places, key=lambda place: place.start) == many for places in drawn)
    assert sum(places[0].operator == "not" for places in drawn) > 4
    assert drawn[0] == list(by_chance(many, random.Random(0)))
