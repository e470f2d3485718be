"""A report for drawing on the studio page: the dictionary for JSON, with all buffers and costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from .gather import Code, Report
from .machine import as_dict


def as_drawn(report: Report) -> dict[str, Any]:
    """Return as_dict(), with the buffers and the opcodes of each program, ready for json.dumps."""
    found = as_dict(report)
    for row, code in zip(found["programs"], report.programs, strict=True):
        row["spans"] = [asdict(span) for span in code.spans]
        row["opcodes"] = sorted(opcodes(code), key=lambda one: -(one["machine"] or 0))
    return found


def opcodes(code: Code) -> Iterator[dict[str, Any]]:
    """Yield one row for each opcode of a program: how often it runs, and its cost.

    `code` is bytes, and `machine` the estimated machine instructions, or None if they are unknown.
    """
    for name in dict.fromkeys(step.opcode for step in code.steps):
        steps = [step for step in code.steps if step.opcode == name]
        parts = [step.machine for step in steps]
        machine = None if None in parts else sum(part for part in parts if part is not None)
        counts = {"count": len(steps), "macs": sum(s.macs for s in steps), "code": sum(s.code for s in steps)}
        yield {"opcode": name, **counts, "machine": machine}
