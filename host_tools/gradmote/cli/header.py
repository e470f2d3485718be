"""The command `gradmote header`, which writes an image as a C header."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from .output import say


def command(
    image: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="What `gradmote compile` wrote (.mote).")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The header to write; beside the image by default.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What its names begin with; the file's name by default.")] = None,
) -> None:
    """Write an image as a C header: an aligned array `model_image`, and MODEL_ARENA_BYTES."""
    from ..formats.c_header import c_header
    from ..formats.files import Output

    output = Output(out or image.with_suffix(".h"))
    text = c_header(image, name or re.sub(r"\W", "_", image.stem))
    output.write(text.encode())
    say(f"wrote {output.path}")
