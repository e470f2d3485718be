"""The command `gradmote export`, which writes the trained model as plain inference ONNX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from .output import say


def command(
    model: Annotated[Path, typer.Argument(help="The .onnx file that was compiled.")],
    checkpoint: Annotated[Path, typer.Argument(help="What was learned: a .gmck file.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The .onnx file to write.")],
    tie: o.Tie = None,
) -> None:
    """Put what a board learned back into the ONNX model; any runtime can serve the result."""
    from ..artifacts.export import export_inference

    export_inference(model, checkpoint, out, tie=o.parse_ties(tie))
    say(f"{out}  {out.stat().st_size:,} bytes")
