"""Selections along an axis of elements of 1 or 2 bytes, by copies of runs of positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from ..ir.strides import packed, physical_order

if TYPE_CHECKING:
    from ..ir.lowering import Lowering, View


@dataclass(frozen=True)
class Run:
    """Positions first + i outer + j inner, for i < count and then j < repeat, from one output on."""

    output: int
    first: int
    count: int
    repeat: int
    outer: int
    inner: int


def runs_of(positions: np.ndarray) -> list[Run]:
    """Return the fewest runs: one if the positions repeat regularly, else runs of one step each."""
    for repeat in range(1, len(positions) + 1):
        if len(positions) % repeat == 0:
            run = regular(positions.reshape(-1, repeat), 0)
            if run is not None:
                return [run]
    return list(even_runs(positions))


def regular(grid: np.ndarray, output: int) -> Run | None:
    """Return the run of a grid of positions (count, repeat), or None if a step changes or goes back."""
    count, repeat = grid.shape
    outer = int(grid[1, 0] - grid[0, 0]) if count > 1 else 0
    inner = int(grid[0, 1] - grid[0, 0]) if repeat > 1 else 0
    made = grid[0, 0] + outer * np.arange(count)[:, None] + inner * np.arange(repeat)
    if min(outer, inner) < 0 or not np.array_equal(made, grid):
        return None
    return Run(output, int(grid[0, 0]), count, repeat, outer, inner)


def even_runs(positions: np.ndarray) -> Iterator[Run]:
    """Yield the longest runs of one non-negative step, one after the other."""
    start = 0
    while start < len(positions):
        end = start + 1
        while end < len(positions) and regular(positions[start : end + 1, None], start) is not None:
            end += 1
        yield regular(positions[start:end, None], start)  # type: ignore[misc]
        start = end


def take_narrow(
    low: Lowering, node: ir.Node, x: View, shape: Sequence[int], axis: int, positions: np.ndarray
) -> tuple[View, list[int]]:
    """Emit a copy for each run of positions along one axis, and return the result and its shape."""
    taken = [len(positions) if a == axis else d for a, d in enumerate(shape)]
    strides = packed(taken, physical_order(shape, x.strides))
    y = low.scratch(f"{node.outputs[0].name}.axis_{axis}", taken, strides, x.dtype)
    for run in runs_of(positions):
        sizes = [*shape[:axis], run.count, run.repeat, *shape[axis + 1 :]]
        source = x.at([run.first if a == axis else 0 for a in range(len(shape))])
        target = y.at([run.output if a == axis else 0 for a in range(len(shape))])
        read = replaced(x.strides, axis, run.outer, run.inner)
        written = replaced(y.strides, axis, run.repeat, 1)
        low.move(node, sizes, replace(source, strides=read), replace(target, strides=written))
    return y, taken


def replaced(strides: Sequence[int], axis: int, outer: int, inner: int) -> list[int]:
    """Return the strides with that of one axis replaced by two multiples of it."""
    return [*strides[:axis], outer * strides[axis], inner * strides[axis], *strides[axis + 1 :]]
