"""The function that opens a target from its address."""

from __future__ import annotations

import logging

from ..errors import DeviceError
from .board_target import BoardTarget
from .client import Client
from .emulated_target import emulated_board
from .flash.emulated import running
from .target import Target
from .twin_target import TwinTarget

log = logging.getLogger(__name__)


def open_target(where: str, baudrate: int = 115200, threads: int = 1, apart: bool = False) -> Target:
    """Open the target at an address and return it.

    Raises DeviceError if it cannot be opened.

    Args:
        where: "twin", "twin:strict", "qemu:mps2-an386", or a port for link.open_link().
        baudrate: The rate of a serial port.
        threads: The host's threads for the twin; other targets raise DeviceError for more than one.
        apart: The argument of Emulator, for an emulated board.
    """
    kind, _, rest = where.partition(":")
    if kind == "twin":
        return TwinTarget(rest or "fused", threads)
    if threads != 1:
        raise DeviceError(f"{where} with {threads} threads", "they are for the twin, on this computer")
    if kind == "qemu":
        name = rest or "mps2-an386"
        if (flashed := running(name)) is not None:
            log.warning("%s starts another %s than the one that was flashed: that is --on %s", where, name, flashed.url)
        return emulated_board(name, apart=apart)
    return BoardTarget(Client.connect(where, baudrate))
