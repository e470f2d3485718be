"""A report on the nodes of a quantized model that still compute in float32."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.program import Compiled, InFloat

#: The most nodes with a line of their own.
MOST_LINES = 8


def in_float(compiled: Compiled) -> list[InFloat]:
    """Return the nodes of the inference model that compute in float32, largest results first."""
    found = next((p.in_float for p in compiled.programs if p.kind == "infer"), [])
    return sorted(found, key=lambda node: -node.bytes)


def describe_in_float(found: Sequence[InFloat]) -> list[str]:
    """Return a line for each node, or none if the whole model runs in int8."""
    lines = [f"in float32: {n.operator} {n.node}, {n.bytes:,} B of results: {n.reason}" for n in found[:MOST_LINES]]
    more = found[MOST_LINES:]
    return [*lines, f"in float32: {len(more)} smaller ones, {sum(n.bytes for n in more):,} B"] if more else lines
