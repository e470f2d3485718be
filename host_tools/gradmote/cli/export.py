"""The command `gradmote export`, which writes the trained model as plain inference ONNX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import DataError
from . import options as o
from .output import require_apart, say

Model = Annotated[
    Path | None,
    typer.Argument(help="The .onnx file that was compiled. A board that was flashed with its export table needs none."),
]
Learned = Annotated[Path | None, typer.Argument(help="What was learned: a .gmck file. --from replaces it.")]
From = Annotated[
    str | None, typer.Option("--from", metavar="PORT", help="The board that learned: /dev/ttyACM0, socket://host:port.")
]


def command(
    out: Annotated[Path, typer.Option("--out", "-o", help="The .onnx file to write.")],
    model: Model = None,
    checkpoint: Learned = None,
    port: From = None,
    tie: o.Tie = None,
) -> None:
    """Put what a board learned back into the ONNX model; any runtime can serve the result.

    `gradmote export model.onnx learned.gmck -o trained.onnx`, or from a board that is connected:
    `gradmote export model.onnx --from /dev/ttyACM0 -o trained.onnx`

    Without model.onnx, the board writes the file itself, if it was flashed with --export-table.
    """
    from ..formats.files import Output

    if (checkpoint is None) == (port is None):
        raise DataError("name what was learned, once", "a .gmck file, or the board with --from PORT")
    require_apart(out, checkpoint)
    if model is not None:
        write_trained(model, read_from(port) if port is not None else checkpoint, out, tie)  # type: ignore[arg-type]
    elif tie:
        raise DataError(
            "--tie is about the .onnx file that was compiled, and none is named", "name it, or leave --tie out"
        )
    else:
        output = Output(out)
        output.write(model_from(port))  # type: ignore[arg-type]
    say(f"{out}  {out.stat().st_size:,} bytes")


def write_trained(model: Path, learned: Path | bytes, out: Path, tie: list[str] | None) -> None:
    """Put a checkpoint into the model's file."""
    from ..artifacts.export import export_inference

    export_inference(model, learned, out, tie=o.parse_ties(tie))


def model_from(port: str) -> bytes:
    """Return the trained model as an .onnx file, which a board makes of what it has learned so far."""
    import onnx

    from ..device.client import Client
    from ..device.progress import progress_bar
    from ..errors import DeviceError

    with Client.connect(port) as board, progress_bar(False) as bar:
        task = bar.add_task(f"read the trained model of {board.info().name}", total=None)
        model = board.export_model(lambda done, total: bar.update(task, completed=done, total=total))
    try:
        onnx.load_model_from_string(model)
    except Exception as error:  # protobuf's DecodeError has no public name
        raise DeviceError(
            f"what {port} sent is not an ONNX model ({error})", "flash it again with the export table of its model"
        ) from error
    return model


def read_from(port: str) -> bytes:
    """Return a checkpoint of what a board has learned so far, which changes nothing on it."""
    from ..device.client import Client
    from ..device.progress import progress_bar

    with Client.connect(port) as board, progress_bar(False) as bar:
        task = bar.add_task(f"read what {board.info().name} learned", total=None)
        return board.save_checkpoint(lambda done, total: bar.update(task, completed=done, total=total))
