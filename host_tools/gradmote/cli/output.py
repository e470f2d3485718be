"""The plain text and JSON that commands print. Tables go through gradmote.terminal.terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from ..errors import OutputError
from ..terminal.printable import printable


def say(text: str, err: bool = False) -> None:
    """Print the text and a line feed, with control characters escaped.

    It goes to stdout, or to stderr if `err`.
    """
    typer.echo(printable(text), err=err)


def require_apart(out: Path | None, *inputs: Path | None) -> None:
    """Raise OutputError if the file to write is one that the command reads, which it would replace."""
    if out is None:
        return
    for path in inputs:
        if path is not None and path.resolve() == out.resolve():
            raise OutputError(f"{out} is a file that this command reads, and it would be replaced", "name another file")


def say_json(value: Any) -> None:
    """Print the value as one line of JSON, which has its own escapes."""
    typer.echo(json.dumps(value))
