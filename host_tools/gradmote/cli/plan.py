"""The command `gradmote plan`, which shows each buffer's offset and lifetime."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .analyze import open_report
from .compiler import Compiler, with_compiler
from .output import require_apart, say

if TYPE_CHECKING:
    from ..formats.files import Output
    from ..report.analyze import Report
    from ..report.analyze.gather import Code


@with_compiler
def command(
    model: Annotated[Path, typer.Argument(help="A compiled .mote, or a .onnx to compile with the options below.")],
    compiler: Compiler,
    program: Annotated[
        str | None, typer.Option(help="infer, eval, step, train or optimizer; the one that trains by default.")
    ] = None,
    png: Annotated[Path | None, typer.Option(help="Draw a picture instead (needs: pip install matplotlib).")] = None,
) -> None:
    """Show the plan of a program's memory: each buffer's offset, size and lifetime.

    For example: `gradmote plan model.mote`

    As a picture, arena offset against time: `gradmote plan model.mote --png plan.png`
    """
    from ..formats.files import Output

    require_apart(png, model)
    output = None if png is None else Output(png)
    report = open_report(model, compiler)
    chosen = program_of(report, program)
    if output is not None:
        draw(report, chosen, output)
        say(f"{output.path}  {output.path.stat().st_size:,} bytes")
    else:
        from ..report.analyze.tables import plan_rows
        from ..report.image_reports import TITLE, tradeoff_rows
        from ..terminal.terminal import console, table

        title = f"Plan of {chosen.kind}: {chosen.scratch:,} B of scratch, {chosen.bound:,} B are unavoidable"
        console().print(table(title, plan_rows(report, chosen)))
        if report.front:
            console().print(table(TITLE, tradeoff_rows(report.front)))


def program_of(report: Report, kind: str | None) -> Code:
    """Return the program of this kind, or the main one for None.

    Raises ModelError if the image has no such program.
    """
    from ..errors import ModelError

    found = {p.kind: p for p in report.programs}
    if kind is not None and kind not in found:
        raise ModelError(f"{report.name} has no program {kind}", f"it has {', '.join(found)}")
    return report.main if kind is None else found[kind]


def draw(report: Report, program: Code, output: Output) -> None:
    """Write the memory map of a program as a picture."""
    from ..report.analyze.picture import draw_memory_map
    from ..report.pictures import encoded, figure

    drawn = figure(12, 7)
    draw_memory_map(drawn.add_subplot(), report, program)
    drawn.suptitle(report.name)
    output.write(encoded(drawn, output.path, dpi=120))
