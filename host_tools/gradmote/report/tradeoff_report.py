"""The table of memory against time, from the search of --recompute."""

from __future__ import annotations

from collections.abc import Sequence

from ..compiler.tradeoff import Tradeoff
from ..terminal.tables import Bar, Rows

TITLE = "Memory against time: each plan that no other one beats; -> is this image"
HINT = "Bytes of arena, and machine instructions of a step on a Cortex-M4F; more: than without --recompute."
#: The most rows in the table.
LONGEST = 16


def tradeoff_rows(front: Sequence[Tradeoff]) -> Rows:
    """Return a row for each plan, fastest first; of many, evenly spaced ones and the chosen one."""
    most = max(t.arena for t in front)
    step = -(-len(front) // LONGEST)
    shown = [t for k, t in enumerate(front) if t.taken or k % step == 0]
    rows = [
        ("->" if t.taken else "", f"{t.arena:,}", Bar(t.arena, most), f"{t.instructions:,.0f}", f"{t.more:+.1%}")
        for t in shown
    ]
    return ("", "arena#", "", "machine#", "more#"), rows
