"""The command `gradmote boards`, which lists the boards that a model can run on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import options as o
from .output import say_json

if TYPE_CHECKING:
    from ..device.boards import Board
    from ..terminal.printable import Rows


def command(as_json: o.AsJson = False) -> None:
    """List the boards, and what each has left for a model beside its firmware.

    Does my model fit one? `gradmote analyze model.mote --board NAME`

    A firmware's size with ~ is an estimate: PlatformIO builds it, with the framework of its board.
    """
    from ..device.boards import boards

    found = boards()
    if as_json:
        say_json({"boards": [board.as_dict() for board in found]})
        return
    from ..terminal.terminal import console, table

    console().print(table("Boards", rows(found)))


def rows(boards: list[Board]) -> Rows:
    """Return one row for each board: all of its memory, and how much of it a model may take."""
    memory = ("RAM#", "for an arena#", "flash#", "firmware#", "for an image#")
    found = []
    for board in boards:
        sizes = (board.ram, board.arena_available, board.all_flash, board.code, board.image_area)
        words = (board.name, board.title, board.core, board.profile, f"{board.clock / 1e6:g}")
        ram, arena, flash, code, image = (f"{size:,}" for size in sizes)
        found.append((*words, ram, arena, flash, code if board.measured else f"~{code}", image))
    return ("name", "title", "core", "numerics", "MHz#", *memory), found
