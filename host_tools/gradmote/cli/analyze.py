"""The command `gradmote analyze`, which tells before flashing what training takes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o
from .compiler import Compiler, with_compiler
from .output import say_json

if TYPE_CHECKING:
    from ..report.analyze import Report

IMAGE = ".mote"
#: The schemes that a page compares.
SCHEMES = "full,head,bias,sparse:0.25"


@with_compiler
def command(
    model: Annotated[Path, typer.Argument(help="A compiled .mote, or a .onnx to compile with the options below.")],
    compiler: Compiler,
    board: Annotated[
        str | None, typer.Option(help="Tell whether this board, such as mps2-an386, holds it beside its firmware.")
    ] = None,
    diff: Annotated[
        Path | None, typer.Option(metavar="OTHER", help="Show what changed since this .mote, or .onnx.")
    ] = None,
    schemes: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help=f"What else could be trained, side by side: each is compiled too. On a page {SCHEMES} by default.",
        ),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Also write one page with the memory map.")] = None,
    as_json: o.AsJson = False,
) -> None:
    """Show what training takes before you flash: RAM, flash and instructions, layer by layer.

    Does my network train in 64 KB? `gradmote analyze model.onnx --loss cross_entropy --batch 8`

    Does it train on my board? Add `--board mps2-an386`; the exit status is 1 where it does not fit.

    What did my change cost? `gradmote analyze new.mote --diff old.mote`

    And when only the last layer learns? `--scheme head`, or several side by side: `--schemes
    full,head,sparse:0.25`

    RAM and flash are exact to the byte: they are what the device reports afterwards. Instructions
    are an estimate for a Cortex-M4F; `gradmote bench --board` counts them.
    """
    from ..device.boards import board as find
    from ..formats.files import Output

    output = None if html is None else Output(html)
    alone = any(path is not None and path.suffix == IMAGE for path in (model, diff))
    report = open_report(model, compiler, alone)
    report.other = None if diff is None else open_report(diff, compiler, alone)
    report.board = None if board is None else find(board)
    if schemes is not None or (html is not None and model.suffix != IMAGE and report.trains):
        add_schemes(report, model, compiler, schemes or SCHEMES)
    if output is not None:
        from ..report.analyze.html import page

        output.write(page(report).encode())
    _print(report, as_json)
    if report.board is not None and report.board.lacks(report.arena, report.image):
        raise typer.Exit(1)


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        from ..report.analyze import as_dict

        say_json(as_dict(report))
    else:
        from ..report.analyze.text import show
        from ..report.terminal import console

        show(report, console())


def open_report(path: Path, compiler: Compiler, alone: bool = False) -> Report:
    """Return the report on an image; any other model is compiled first.

    `alone` asks for the report on the image only, so that it can be compared with one of an image.
    """
    from ..report.analyze import analyze_image, analyze_result

    if path.suffix == IMAGE:
        return analyze_image(path, path.name)
    result = compiler(path)
    return analyze_image(result.image, path.name) if alone else analyze_result(result, path.name)


def add_schemes(report: Report, path: Path, compiler: Compiler, wanted: str) -> None:
    """Compile the model for each scheme, and add the reports.

    A scheme that the model cannot have becomes a note.
    """
    from ..artifacts.schemes import Scheme
    from ..errors import ModelError
    from ..report.analyze import analyze_result

    if path.suffix == IMAGE or not report.trains:
        raise ModelError(f"{path.name} has no choice of schemes", "give a .onnx, and --loss")
    texts = re.split(r",(?=full|head|last|bias|sparse|named|freeze)", wanted)
    for text, scheme in [(text, Scheme.parse(text)) for text in texts]:
        try:
            found = analyze_result(compiler(path, scheme), text)
        except ModelError as error:
            report.notes.append(f"scheme {text}: {error.message}")
        else:
            found.board = report.board
            report.schemes.append(found)
