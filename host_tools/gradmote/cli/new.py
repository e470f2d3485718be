"""The command `gradmote new`, which makes a project to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .output import say


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
    board: Annotated[str, typer.Option(metavar="BOARD", help="The board that it is for: gradmote boards lists them.")],
    model: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="What `gradmote compile` wrote (.mote); else a small example."),
    ] = None,
) -> None:
    """Make a PlatformIO project: firmware, model, and an example of a sensor, to replace by yours.

    `gradmote new lamp --board mps2-an386`, then `cd lamp` and `pio run -t upload`
    """
    from ..project.create import create

    made = create(folder, board, model)
    say(f"wrote {made}: its README.md says how to go on")
