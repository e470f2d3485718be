"""The command `gradmote export`, which writes the trained model as plain inference ONNX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import DataError
from . import options as o
from .output import say

Learned = Annotated[Path | None, typer.Argument(help="What was learned: a .gmck file. --from replaces it.")]
From = Annotated[
    str | None, typer.Option("--from", metavar="PORT", help="The board that learned: /dev/ttyACM0, socket://host:port.")
]


def command(
    model: Annotated[Path, typer.Argument(help="The .onnx file that was compiled.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The .onnx file to write.")],
    checkpoint: Learned = None,
    port: From = None,
    tie: o.Tie = None,
) -> None:
    """Put what a board learned back into the ONNX model; any runtime can serve the result.

    `gradmote export model.onnx learned.gmck -o trained.onnx`, or from a board that is connected:
    `gradmote export model.onnx --from /dev/ttyACM0 -o trained.onnx`
    """
    from ..artifacts.export import export_inference

    if (checkpoint is None) == (port is None):
        raise DataError("name what was learned, once", "a .gmck file, or the board with --from PORT")
    export_inference(model, read_from(port) if port is not None else checkpoint, out, tie=o.parse_ties(tie))  # type: ignore[arg-type]
    say(f"{out}  {out.stat().st_size:,} bytes")


def read_from(port: str) -> bytes:
    """Return a checkpoint of what a board has learned so far, which changes nothing on it."""
    from ..device.client import Client
    from ..device.progress import progress_bar

    with Client.connect(port) as board, progress_bar(False) as bar:
        task = bar.add_task(f"read what {board.info().name} learned", total=None)
        return board.save_checkpoint(lambda done, total: bar.update(task, completed=done, total=total))
