"""The command `gradmote header`, which writes an image as a C header."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .output import require_apart, say


def command(
    image: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="What `gradmote compile` wrote (.mote).")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The header to write; beside the image by default.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What its names begin with; by default the image's name.")] = None,
) -> None:
    """Write an image as a C header: an aligned array, and the bytes of its arena.

    For `model.mote` their names are `model_image` and MODEL_ARENA_BYTES, whatever the header is called.
    """
    from ..formats.c_header import c_header, identifier
    from ..formats.files import Output

    require_apart(out or image.with_suffix(".h"), image)
    output = Output(out or image.with_suffix(".h"))
    name = name if name is not None else identifier(image.stem)
    output.write(c_header(image, name).encode())
    say(f"wrote {output.path}: {name}_image, {name.upper()}_ARENA_BYTES")
