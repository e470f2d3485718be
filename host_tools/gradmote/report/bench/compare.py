"""Counts of machine instructions against earlier ones."""

from __future__ import annotations

#: Part by which counts may grow unnoticed: compilers of other versions differ by as much.
TOLERANCE = 0.02

#: What was counted -> program -> machine instructions.
Counts = dict[str, dict[str, int]]


def changes(now: Counts, before: Counts) -> tuple[list[str], list[str]]:
    """(what grew, what shrank) by more than TOLERANCE, a line each. What was not there before has grown."""
    grown, shrunk = [], []
    for case, programs in now.items():
        for program, count in programs.items():
            old = before.get(case, {}).get(program, 0)
            change = f" ({count / old - 1:+.1%})" if old else ""
            line = f"{case}, {program}: {old:,} -> {count:,} instructions{change}"
            if count > old * (1 + TOLERANCE):
                grown.append(line)
            elif count < old * (1 - TOLERANCE):
                shrunk.append(line)
    return grown, shrunk
