"""The command line: one file a subcommand, this table, and errors turned to text in one place.

Subcommands import what is heavy when they run, so that `gradmote --help` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import typer

from ..errors import GradmoteError
from ..printable import printable
from . import (
    analyze,
    artifacts,
    bench,
    boards,
    compile,
    console,
    export,
    flash,
    header,
    inspect,
    kernels,
    keygen,
    new,
    ops,
    plan,
    ports,
    sign,
    train,
    update,
)
from .output import say, say_json

#: (name, function, panel in --help)
COMMANDS: list[tuple[str, Callable[..., None], str]] = [
    ("artifacts", artifacts.command, "On the desk"),
    ("compile", compile.command, "On the desk"),
    ("analyze", analyze.command, "On the desk"),
    ("bench", bench.command, "On the desk"),
    ("plan", plan.command, "On the desk"),
    ("boards", boards.command, "On the desk"),
    ("inspect", inspect.command, "On the desk"),
    ("header", header.command, "On the desk"),
    ("kernels", kernels.command, "On the desk"),
    ("keygen", keygen.command, "On the desk"),
    ("sign", sign.command, "On the desk"),
    ("new", new.command, "On the desk"),
    ("ops", ops.command, "On the desk"),
    ("export", export.command, "On the desk"),
    ("flash", flash.command, "On the device"),
    ("train", train.command, "On the device"),
    ("update", update.command, "On the device"),
    ("console", console.command, "On the device"),
    ("ports", ports.command, "On the device"),
]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="Trains neural networks on the device: ONNX in, the board learns, a better model out.",
    epilog="Start with: gradmote compile model.onnx -o model.mote --loss cross_entropy --optimizer sgd",
)
for _name, _command, _panel in COMMANDS:
    app.command(_name, rich_help_panel=_panel)(_command)


def main(arguments: list[str] | None = None) -> int:
    """Runs one command. Exit status: 0, 1 for a refusal or Ctrl-C, 2 for a wrong call."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        app(args=arguments, prog_name="gradmote")
    except GradmoteError as error:
        return refuse(error, "--json" in arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


def refuse(error: GradmoteError, as_json: bool) -> int:
    """Says what was wrong, and what to do about it."""
    if as_json:
        say_json({"error": type(error).__name__, "message": error.message, "hint": error.hint})
    else:
        told = error.args[0] if not error.hint else error.args[0].removesuffix(f" - {error.hint}")
        typer.secho(printable(f"error: {told}"), fg="red", err=True)
        if error.hint:
            say(f" hint: {error.hint}", err=True)
    return 1
