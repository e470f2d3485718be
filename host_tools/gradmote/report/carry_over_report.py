"""The table of what an update carries over from the previous model."""

from __future__ import annotations

from collections.abc import Sequence

from ..formats.carry_over import StateEntry
from ..terminal.tables import Rows


def table(entries: Sequence[StateEntry]) -> Rows:
    """Return the rows for the terminal.

    Moments are only counted, because they have their parameters' names.
    """
    shown = [p for p in entries if p.role != "slot"]
    rows = [(p.name, " x ".join(map(str, p.shape)), "yes" if p.carried else "no", p.why) for p in shown]
    moments = [p for p in entries if p.role == "slot"]
    if moments:
        first = next((p for p in moments if not p.carried), None)
        rows.append((f"{len(moments)} of the optimizer", "", "no" if first else "yes", first.why if first else ""))
    return ("state", "shape", "carried over", "why not"), rows
