"""The command line of the demonstrations: `./run demo [watch] [OPTIONS]`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from gradmote.errors import GradmoteError
from gradmote.terminal.printable import printable

from . import digits, watch
from .watch_model import EPOCHS

app = typer.Typer(add_completion=False)

On = Annotated[str, typer.Option(help="Where to train: qemu:mps2-an386, twin, or a board's port.")]
Out = Annotated[Path, typer.Option(help="Where models and pictures go.")]
Epochs = Annotated[int, typer.Option(min=1, help="Passes over the samples that the board has not seen.")]


@app.callback(invoke_without_command=True)
def demo(context: typer.Context, on: On = "qemu:mps2-an386", out: Out = Path("build/demo"), epochs: Epochs = 5) -> None:
    """Run a demonstration of learning on a board, an emulated one by default.

    Without COMMAND: a digit classifier, pre-trained on 100 samples, arrives
    as ONNX; the board learns from 1,247 more. About ten seconds.

    With the command watch: a smart-watch learns how its owner moves. About a
    minute.
    """
    if context.invoked_subcommand is None:
        with errors_in_one_line():
            digits.run(on, out, epochs)


@app.command("watch")
def watch_command(
    on: On = "qemu:mps2-an386",
    out: Out = Path("build/demo/watch"),
    epochs: Epochs = EPOCHS,
    subject: Annotated[int, typer.Option(min=1, max=10, help="Who wears the watch.")] = 2,
    train: Annotated[str, typer.Option(help="What it learns: all layers (all), or the last one (head).")] = "all",
) -> None:
    """Let a smart-watch learn how its owner moves.

    A network that distinguishes seven shoulder exercises was pre-trained on
    nine people. The tenth moves differently: the board learns from the first
    40 % of that person's recordings, and is tested on the rest. Person 2 is
    the one whom the other nine resemble least.
    """
    with errors_in_one_line():
        watch.run(on, out, epochs, subject, train)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Print a GradmoteError as one line, and exit with 1."""
    try:
        yield
    except GradmoteError as error:
        typer.secho(printable(f"error: {error}"), fg="red", err=True)
        raise typer.Exit(1) from error


if __name__ == "__main__":
    app(prog_name="./run demo")
