"""The plain text and JSON that commands print. Tables go through gradmote.terminal.terminal."""

from __future__ import annotations

import json
from typing import Any

import typer

from ..terminal.printable import printable


def say(text: str, err: bool = False) -> None:
    """Print the text and a line feed, with control characters escaped.

    It goes to stdout, or to stderr if `err`.
    """
    typer.echo(printable(text), err=err)


def say_json(value: Any) -> None:
    """Print the value as one line of JSON, which has its own escapes."""
    typer.echo(json.dumps(value))
