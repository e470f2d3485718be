"""Assertions that a model fits, before and after it is sent to a board."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..budget.resource_limits import Limits, bytes_of
from ..compiler.compile import Result
from ..device.boards import board as board_of
from ..device.target import Target
from ..errors import DeviceError
from ..report.analyze import Report, analyze_image, analyze_result
from ..report.analyze.tables import peak_title
from .models import Model, image_of, name_of

__tracebackhide__ = True  # pytest shows the line of the test

#: A size in bytes, or as text: 64K, 1.5M.
Size = int | str


def assert_fits(
    model: Model,
    *,
    ram: Size | None = None,
    flash: Size | None = None,
    ms_per_step: float | None = None,
    board: str | None = None,
    **options: Any,
) -> Report:
    """Assert that a model needs no more than these limits, and return its report; nothing runs.

    `ram` limits the arena, and `flash` the image. With a board they limit everything, including its
    firmware and stack, and default to all that the board has. `ms_per_step` limits the estimated time on
    a Cortex-M4F with the clock of the board, or with 64 MHz. `options` are those of compile_model(), for
    a model that is not compiled.
    """
    if all(limit is None for limit in (ram, flash, ms_per_step, board)):
        raise TypeError("say what the model must fit: ram, flash, ms_per_step or board")
    limits = Limits(_bytes(ram), _bytes(flash), ms_per_step)
    if board is not None:
        limits = replace(limits.beside(board_of(board)), clock=board_of(board).clock)
    report = _report(model, options)
    machine = report.main.machine
    excess = limits.excess(report.arena, report.image, None if machine is None else machine / limits.clock * 1e3)
    if excess:
        raise AssertionError(f"{report.name} does not fit {board or ''}".rstrip() + f": {_described(report, excess)}")
    return report


def _report(model: Model, options: dict[str, Any]) -> Report:
    """Return the model's report; layers have their names if the model was compiled in this test."""
    if isinstance(model, Result):
        return analyze_result(model, name_of(model))
    return analyze_image(image_of(model, **options), name_of(model))


def _described(report: Report, excess: list[str]) -> str:
    regions = ", ".join(f"{r.name} {r.size:,}" for r in report.regions if r.size)
    sections = ", ".join(f"{s.name} {s.size:,}" for s in report.sections if s.size)
    lines = [
        ", ".join(excess),
        f"arena {report.arena:,} B with batch {report.batch}: {regions}",
        f"{peak_title(report)}; {report.main.bound:,} are unavoidable",
        f"image {report.image:,} B: {sections}",
    ]
    return "\n  ".join(lines)


def _bytes(size: Size | None) -> int | None:
    return bytes_of(size) if isinstance(size, str) else size


def assert_memory(
    target: Target,
    *,
    arena_at_most: Size | None = None,
    image_at_most: Size | None = None,
    stack_at_most: Size | None = None,
    ram_at_most: Size | None = None,
) -> dict[str, int]:
    """Assert limits on the memory that a target reports, and return its figures in bytes.

    The figures are "arena" and "image"; on a board also "stack", its largest use since the start, and
    "ram": the arena, the whole stack, and static data. Raises DeviceError if a twin is asked for a figure
    that only boards have.
    """
    found = _figures(target)
    limits = {"arena": arena_at_most, "image": image_at_most, "stack": stack_at_most, "ram": ram_at_most}
    given = {name: limit for name, size in limits.items() if (limit := _bytes(size)) is not None}
    unknown = [name for name in given if name not in found]
    if unknown:
        raise DeviceError(f"{target.name} has no {' and no '.join(unknown)} to measure", "give a board")
    excess = [f"{name} {found[name]:,} B of {limit:,}" for name, limit in given.items() if found[name] > limit]
    if excess:
        every = ", ".join(f"{name} {size:,}" for name, size in found.items())
        raise AssertionError(f"{target.name} takes more than it may: {', '.join(excess)}\n  all of it: {every}")
    return found


def _figures(target: Target) -> dict[str, int]:
    info, memory = target.info(), target.mem()
    found = {"arena": info.arena_required, "image": info.image_size}
    if memory is not None:
        found["stack"] = memory.stack_used
        found["ram"] = memory.static_ram + memory.stack_size + memory.arena_required
    return found
