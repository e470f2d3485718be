"""Prints the end of every example: what training achieved, and which microcontroller the model fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps

import typer
from rich.console import Console
from rich.table import Table

from gradmote.compiler import Result
from gradmote.device.boards import smallest
from gradmote.errors import GradmoteError

console = Console()


def before_after(title: str, rows: dict[str, tuple[float, float]], form: str = ".1%") -> None:
    """Print a table of figures before and after training; shares between 0 and 1 unless `form` says otherwise."""
    compared(title, ("before", "after"), rows, bold="after", form=form)


def compared(
    title: str, columns: Sequence[str], rows: Mapping[str, Sequence[float]], bold: str, form: str = ".1%"
) -> None:
    """Print a table with a row of figures for each name, one per column; those in the column `bold` are bold."""
    table = Table("", *columns, box=None)
    console.print(f"[bold]{title}[/]")
    for name, figures in rows.items():
        cells = [f"{figure:{form}}" for figure in figures]
        table.add_row(name, *(f"[bold]{cell}[/]" if of == bold else cell for of, cell in zip(columns, cells)))
    console.print(table)


def on_the_board(compiled: Result) -> None:
    """Print how much memory training the model takes on a microcontroller, and which one is large enough."""
    arena, image = compiled.layout.arena_size, len(compiled.image)
    board = smallest(arena, image)
    fits = f"the smallest that will do: {board.title}" if board else "too large for the boards that there are"
    say(
        f"on a board: {arena:,} B of RAM, everything included, for steps of {compiled.compiled.batch}; {image:,} B of "
        f"flash for the image; {fits}"
    )


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner beside `what`, for work without steps to count."""
    with console.status(what):
        yield


def say(text: str) -> None:
    console.print(f"[bold green]*[/] {text}", highlight=False, soft_wrap=True)


def run(main: Callable[..., object]) -> None:
    """Run a script's main() with its parameters as options; an error of Gradmote's ends it in one line."""

    @wraps(main)
    def command(*args: object, **options: object) -> None:
        try:
            main(*args, **options)
        except GradmoteError as error:
            typer.secho(f"error: {error}", fg="red", err=True)
            raise typer.Exit(1) from error

    typer.run(command)
