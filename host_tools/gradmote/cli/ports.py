"""The command `gradmote ports`, which lists the boards that answer."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from . import options as o
from .output import say, say_json

if TYPE_CHECKING:
    from ..device.ports import Answer
    from ..terminal.printable import Rows


def command(as_json: o.AsJson = False) -> None:
    """List the boards that answer: at serial ports on USB, and emulated ones.

    Emulated boards are those that `gradmote flash` left running. Each port is opened and sent a few
    bytes; ports used by other programs are left alone.
    """
    from ..device.boards import boards
    from ..device.flash.emulated import running
    from ..device.ports import ask, serial_ports

    parts = [part for board in boards() if board.emulator and (part := running(board.name)) is not None]
    answers = [ask(port) for port in (*(p.device for p in serial_ports()), *(part.url for part in parts))]
    if as_json:
        say_json({"ports": [asdict(answer) for answer in answers]})
    elif answers:
        _show(answers)
    else:
        say("no serial port on USB, and no emulated board: plug one in, or gradmote flash --board mps2-an386")


def _show(answers: list[Answer]) -> None:
    from ..terminal.terminal import console, table

    console().print(table("Ports", rows(answers)))


def rows(answers: list[Answer]) -> Rows:
    """Return one row for each port that answered."""
    found = []
    for answer in answers:
        part = f"{answer.unique_id:016x}" if answer.unique_id else ""
        words = (answer.port, answer.board, answer.version, answer.profile, answer.model or answer.problem, part)
        found.append(words)
    return ("port", "board", "version", "numerics", "model", "part"), found
