"""The plain text and JSON that commands print. Tables go through gradmote.report.terminal."""

from __future__ import annotations

import json
import math
from typing import Any

import typer

from ..report.printable import printable


def say(text: str, err: bool = False) -> None:
    """Print the text and a line feed, with control characters escaped.

    It goes to stdout, or to stderr if `err`.
    """
    typer.echo(printable(text), err=err)


def say_json(value: Any) -> None:
    """Print the value as one line of JSON, which has its own escapes."""
    typer.echo(json.dumps(value))


def finite(value: Any) -> Any:
    """Return the value with null for each NaN or infinity, which JSON does not have."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
