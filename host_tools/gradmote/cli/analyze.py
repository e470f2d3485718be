"""The command `gradmote analyze`, which shows the cost of training before you flash."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o
from .compiler import Compiler, with_compiler
from .output import require_apart, say_json

if TYPE_CHECKING:
    from ..formats.files import Output
    from ..report.analyze import Report

IMAGE = ".mote"
#: The schemes that a page compares.
SCHEMES = "full,head,bias,sparse:0.25"


@with_compiler
def command(
    model: Annotated[Path, typer.Argument(help="A compiled .mote, or a .onnx to compile with the options below.")],
    compiler: Compiler,
    board: Annotated[
        str | None, typer.Option(help="Say whether it fits this board, such as mps2-an386, beside its firmware.")
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

    Does it train on my board? Add `--board mps2-an386`; the exit status is 1 if it does not fit.

    What did my change cost? `gradmote analyze new.mote --diff old.mote`

    What if only the last layer learns? `--scheme head`, or several side by side: `--schemes
    full,head,sparse:0.25`

    RAM and flash are exact to the byte: the device reports the same numbers later. Instructions are an
    estimate for a Cortex-M4F; `gradmote bench --board` counts them.
    """
    from ..device.boards import board as find
    from ..formats.files import Output

    require_apart(html, model)
    output = None if html is None else Output(html)
    report = open_report(model, compiler) if diff is None else open_pair(model, diff, compiler)
    report.board = None if board is None else find(board)
    if schemes is not None or (html is not None and model.suffix != IMAGE and report.trains):
        add_schemes(report, model, compiler, schemes or SCHEMES)
    if output is not None:
        write_page(report, output)
    (print_json if as_json else print_text)(report)
    if report.board is not None and report.board.lacks(report.arena, report.image):
        raise typer.Exit(1)


def print_json(report: Report) -> None:
    """Print the report for machines."""
    from ..report.analyze import as_dict

    say_json(as_dict(report))


def print_text(report: Report) -> None:
    """Print the report as tables."""
    from ..report.analyze.sections import show
    from ..terminal.terminal import console

    show(report, console())


def write_page(report: Report, output: Output) -> None:
    """Write the report as one page with the memory map."""
    from ..report.analyze.html import page

    output.write(page(report).encode())


def open_report(path: Path, compiler: Compiler) -> Report:
    """Return the report on an image, or on the compilation of any other model."""
    from ..report.analyze import analyze_image, analyze_result

    return analyze_image(path, path.name) if path.suffix == IMAGE else analyze_result(compiler(path), path.name)


def open_pair(path: Path, other: Path, compiler: Compiler) -> Report:
    """Return the report on one model, with the report on another one attached.

    If one of them is an image, both reports are on images, because they contain less than a report on a
    compilation, and both must contain the same.
    """
    opened = open_image if IMAGE in (path.suffix, other.suffix) else open_report
    report = opened(path, compiler)
    report.other = opened(other, compiler)
    return report


def open_image(path: Path, compiler: Compiler) -> Report:
    """Return the report on an image, or on the image compiled from a model."""
    from ..report.analyze import analyze_image

    return analyze_image(path if path.suffix == IMAGE else compiler(path).image, path.name)


def add_schemes(report: Report, path: Path, compiler: Compiler, wanted: str) -> None:
    """Compile the model for each scheme, and add the reports.

    A scheme that the model does not allow becomes a note.
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
