"""Mutants of C and TypeScript change operators and constants in functions, and nothing else."""

from __future__ import annotations

import pytest

from mutants.curly_places import one_more, places

C = """
#include <stdint.h>
#define LIMIT (1 + 2)
enum { FIRST = 1 };
static const int table[4] = {1, 2};

/* Returns whether a < b. */
int smaller(const float *p, int a, int b)
{
    float sums[8];
    sums[0] = *p * 0.5f; // a + b
    if (a < b && b != 0) {
        say("a + 1");
    }
#if LIMIT > 2
    a += 0x10u;
#endif
    return -a;
}
"""
SCRIPT = """
export interface Size { width: number; height: 4 }
export const area = (size: Size): number => {
  return size.width * 2;
};
export function text(parts: Map<string, number>): string {
  if (parts.size === 0) {
    parts.clear();
  }
  return `${parts.size} + 1`;
}
"""


def found(text: str) -> set[tuple[str, str, str]]:
    return {(place.operator, place.before, place.after) for place in places(text)}


def test_of_c() -> None:
    assert found(C) == {
        ("constant", "0", "1"),
        ("constant", "0.5f", "1.5f"),
        ("constant", "0x10u", "0x11u"),
        ("arithmetic", "*", "/"),
        ("relation", "<", "<="),
        ("logic", "&&", "||"),
        ("equality", "!=", "=="),
        ("condition", "(a < b && b != 0)", "(!(a < b && b != 0))"),
        ("assignment", "+=", "-="),
        ("statement", "sums[0] = *p * 0.5f;", ";"),
        ("statement", 'say("a + 1");', ";"),
        ("statement", "a += 0x10u;", ";"),
    }


def test_of_typescript() -> None:
    assert found(SCRIPT) == {
        ("arithmetic", "*", "/"),
        ("constant", "2", "3"),
        ("constant", "0", "1"),
        ("equality", "===", "!=="),
        ("condition", "(parts.size === 0)", "(!(parts.size === 0))"),
        ("statement", "parts.clear();", ";"),
    }


def test_a_place_says_where_it_is() -> None:
    for place in places(C):
        assert C.startswith(place.before, place.start)
        assert place.mutated(C) == C[: place.start] + place.after + C[place.start + len(place.before) :]


@pytest.mark.parametrize(
    ("number", "more"), [("0", "1"), ("7u", "8u"), ("0xFFu", "0x100u"), ("1e-3f", "1.001f"), ("0.0f", "1.0f")]
)
def test_one_more(number: str, more: str) -> None:
    assert one_more(number) == more
