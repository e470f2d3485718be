"""A report as a dictionary for JSON, and as one for drawing on the studio page, with all buffers and costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ...device.boards import Board
from .compare import changes, layer_changes
from .gather import Code, Report, macs


def as_dict(report: Report) -> dict[str, Any]:
    """Return a whole report, in bytes unless a name says otherwise, ready for json.dumps."""
    return {
        "name": report.name,
        "scheme": report.scheme or None,
        "batch": report.batch,
        "arena_bytes": report.arena,
        "image_bytes": report.image,
        "arena": [asdict(r) for r in report.regions],
        "image": [asdict(s) for s in report.sections],
        "programs": [program(p) for p in report.programs],
        "layers": [asdict(layer) for layer in report.layers],
        "notes": report.notes,
        "front": [asdict(t) for t in report.front],
        "board": None if report.board is None else on(report.board, report),
        "schemes": [scheme(s) for s in report.schemes],
        "diff": None if report.other is None else diff(report.other, report),
    }


def on(board: Board, report: Report) -> dict[str, Any]:
    """Return the board's figures, whether the model fits it, and what it lacks."""
    lacks = board.lacks(report.arena, report.image)
    return {**board.as_dict(), "fits": not lacks, "lacks": lacks}


def program(code: Code) -> dict[str, Any]:
    """Return the figures of one program, with the buffers alive at its peak."""
    index = code.peak()
    return {
        "kind": code.kind,
        "instructions": len(code.steps),
        "arena_bytes": code.arena,
        "scratch_bytes": code.scratch,
        "lower_bound_bytes": code.bound,
        "machine_instructions": code.machine,
        "peak": {"instruction": index, "alive": [asdict(s) for s in code.alive(index)]},
    }


def scheme(report: Report) -> dict[str, Any]:
    """Return the figures of one scheme."""
    return {
        "scheme": report.name,
        "trained": sum(layer.parameters for layer in report.layers),
        "arena_bytes": report.arena,
        "scratch_bytes": report.main.scratch,
        "image_bytes": report.image,
        "macs": macs(report),
        "machine_instructions": report.main.machine,
    }


def diff(before: Report, after: Report) -> dict[str, Any]:
    """Return the changed quantities, each as [before, after]."""
    whole = {c.name: [c.before, c.after] for c in changes(before, after) if c.difference != 0}
    layers = layer_changes(before, after)
    parts = {name: {c.name: [c.before, c.after] for c in some} for name, some in layers.items()}
    return {"other": before.name, "whole": whole, "layers": parts}


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
