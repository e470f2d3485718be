"""`python -m gradmote.demo [--on TARGET] [--out DIR]`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import GradmoteError
from . import digits


def demo(
    on: Annotated[
        str, typer.Option(help="Where to train: qemu:mps2-an386, twin, or a board's port.")
    ] = "qemu:mps2-an386",
    out: Annotated[Path, typer.Option(help="Where models and pictures go.")] = Path("build/demo"),
    epochs: Annotated[int, typer.Option(help="Passes over the samples that the board has not seen.")] = 5,
) -> None:
    """A digit classifier, pre-trained on 100 samples, arrives as ONNX; the board learns from 1,247 more."""
    try:
        digits.run(on, out, epochs)
    except GradmoteError as error:
        typer.secho(f"error: {error}", fg="red", err=True)
        raise typer.Exit(1) from error


if __name__ == "__main__":
    typer.run(demo)
