"""Targets by where they are."""

from __future__ import annotations

from ..errors import DeviceError
from .board_target import BoardTarget
from .client import Board
from .emulated_target import emulated_board
from .target import Target
from .twin_target import TwinTarget


def open_target(where: str, baudrate: int = 115200, threads: int = 1, apart: bool = False) -> Target:
    """where: "twin" (or "twin:strict"), "qemu:mps2-an386", or a port as link.open_link() takes it.

    threads: of this computer, for the twin. DeviceError for more than one elsewhere. apart: of an emulated board, as
    Emulator has it.
    """
    kind, _, rest = where.partition(":")
    if kind == "twin":
        return TwinTarget(rest or "fused", threads)
    if threads != 1:
        raise DeviceError(f"{where} with {threads} threads", "they are for the twin, on this computer")
    if kind == "qemu":
        return emulated_board(rest or "mps2-an386", apart=apart)
    return BoardTarget(Board.connect(where, baudrate))
