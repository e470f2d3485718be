"""The changes from earlier counts of machine instructions."""

from __future__ import annotations

#: The share by which counts may grow; versions of one compiler differ by as much.
TOLERANCE = 0.02

#: Machine instructions by case, then by program.
Counts = dict[str, dict[str, int]]


def changes(now: Counts, before: Counts) -> tuple[list[str], list[str]]:
    """Return a line for each count that grew by more than TOLERANCE, and for each that shrank.

    A new count has grown.
    """
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
