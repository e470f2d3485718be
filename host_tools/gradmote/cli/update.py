"""The command `gradmote update`, which sends another model to a board and keeps what it learned."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o
from .output import say, say_json

if TYPE_CHECKING:
    from ..device.types import Update

Image = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The new model (.mote).")]
On = Annotated[str, typer.Option("--on", metavar="PORT", help="The board: /dev/ttyACM0, COM3, socket://host:port.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Carry over nothing that the old model learned.")]


ExportTable = Annotated[
    Path | None,
    typer.Option(
        exists=True, dir_okay=False, help="The new model's export table (.gmex), for `gradmote export --from`."
    ),
]


def command(
    image: Image, on: On, fresh: Fresh = False, export_table: ExportTable = None, as_json: o.AsJson = False
) -> None:
    """Update the model of a board: `gradmote update better.mote --on /dev/ttyACM0`.

    The old model stays until the new one is complete and verified, even if power fails. Entries of its
    state that match the new one by name and shape are carried over.
    """
    from ..device.progress import update_with_progress
    from ..device.target_factory import open_target

    with open_target(on) as target:
        update = update_with_progress(target, file_of(image, export_table), image.name, not fresh, quiet=as_json)
        if as_json:
            say_json({"target": target.name, **asdict(update)})
        else:
            show(update)
            say(f"{target.name} runs {image.name} now: {outcome(update, not fresh)}")


def file_of(image: Path, export_table: Path | None) -> bytes:
    """Return the image, and its export table if there is one."""
    from ..formats.export_table import with_export_table

    return (
        image.read_bytes() if export_table is None else with_export_table(image.read_bytes(), export_table.read_bytes())
    )


def show(update: Update) -> None:
    """Print what was carried over, what was not, and why."""
    from ..report.image_reports import carry_over_rows
    from ..terminal.terminal import console, table

    if update.entries:
        console().print(table("Carried over from the old model", carry_over_rows(update.entries)))


def outcome(update: Update, carries: bool) -> str:
    """Return one sentence on what happened to the old model's training."""
    if not carries:
        return "what the old model learned was discarded (--fresh)"
    if not update.entries:
        return "it is the same model, and all that it learned stays"
    parameters = [entry for entry in update.entries if entry.role == "parameter"]
    carried = sum(entry.carried for entry in parameters)
    kept = ", and are saved" if update.kept else ""
    return f"{carried} of {len(parameters)} parameters were carried over{kept}"
