"""The command line: a table of the subcommands, each in its own file, and the display of errors.

Subcommands import heavy modules when they run, so that `gradmote --help` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, NamedTuple

import typer

from ..errors import GradmoteError
from ..terminal.printable import printable
from . import (
    analyze,
    artifacts,
    bench,
    boards,
    compile,
    console,
    data,
    evaluate,
    export,
    flash,
    header,
    inspect,
    kernels,
    keygen,
    messages,
    new,
    ops,
    plan,
    ports,
    sign,
    sources,
    studio,
    train,
    update,
    version,
    wasm,
)
from .federate import gateway, simulate
from .help import Command, Group
from .output import say, say_json
from .stopping import cleaning_up

HOST, DEVICE = "On the host", "On the device"


class Entry(NamedTuple):
    """A subcommand.

    `panel` is its heading in --help. `prints` says whether the text that it prints is its result, which
    --quiet does not suppress.
    """

    name: str
    function: Callable[..., None]
    panel: str
    prints: bool = False


COMMANDS: list[Entry] = [
    Entry("artifacts", artifacts.command, HOST),
    Entry("compile", compile.command, HOST),
    Entry("analyze", analyze.command, HOST, prints=True),
    Entry("bench", bench.command, HOST, prints=True),
    Entry("plan", plan.command, HOST, prints=True),
    Entry("boards", boards.command, HOST, prints=True),
    Entry("inspect", inspect.command, HOST, prints=True),
    Entry("header", header.command, HOST),
    Entry("kernels", kernels.command, HOST, prints=True),
    Entry("keygen", keygen.command, HOST),
    Entry("sign", sign.command, HOST),
    Entry("new", new.command, HOST),
    Entry("sources", sources.command, HOST),
    Entry("data", data.command, HOST, prints=True),
    Entry("wasm", wasm.command, HOST),
    Entry("studio", studio.command, HOST, prints=True),
    Entry("ops", ops.command, HOST, prints=True),
    Entry("export", export.command, HOST),
    Entry("flash", flash.command, DEVICE),
    Entry("train", train.command, DEVICE),
    Entry("evaluate", evaluate.command, DEVICE, prints=True),
    Entry("update", update.command, DEVICE),
    Entry("console", console.command, DEVICE, prints=True),
    Entry("ports", ports.command, DEVICE, prints=True),
]

#: The commands of `gradmote federate`.
FEDERATE: list[Entry] = [
    Entry("simulate", simulate.command, HOST, prints=True),
    Entry("gateway", gateway.command, DEVICE, prints=True),
]

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Train neural networks on the device: ONNX in, the board learns, a better model out.",
    epilog="Start with: gradmote compile model.onnx -o model.mote --loss cross_entropy --optimizer sgd",
)


@app.callback()
def common(
    context: typer.Context,
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=version.show, help="Print the versions of the tools and the runtime."
        ),
    ] = False,
    quiet: messages.Quiet = False,
    verbose: messages.Verbose = False,
) -> None:
    """Set the level of messages from the options before the subcommand."""
    context.with_resource(messages.level_restored())
    messages.set_level(quiet, verbose)


federate = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Let many devices learn one model together: federated learning.",
)
app.add_typer(federate, name="federate", rich_help_panel=HOST)

for _group, _entries in ((app, COMMANDS), (federate, FEDERATE)):
    for _entry in _entries:
        _command = messages.with_messages(_entry.function, _entry.prints)
        _group.command(_entry.name, cls=Command, rich_help_panel=_entry.panel)(_command)


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status.

    It is 0 for success, 1 for a refusal or Ctrl-C, 2 for a wrong call, and 128 plus its number for
    another signal.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        with cleaning_up():
            app(args=arguments, prog_name="gradmote")
    except GradmoteError as error:
        return refuse(error, "--json" in arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


def refuse(error: GradmoteError, as_json: bool) -> int:
    """Print what was wrong and what to do about it, and return the exit status."""
    if as_json:
        say_json({"error": type(error).__name__, "message": error.message, "hint": error.hint})
    else:
        message = error.args[0] if not error.hint else error.args[0].removesuffix(f" - {error.hint}")
        typer.secho(printable(f"error: {message}"), fg="red", err=True)
        if error.hint:
            say(f" hint: {error.hint}", err=True)
    return 1
