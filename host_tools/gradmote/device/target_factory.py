"""The function that opens a target from its address."""

from __future__ import annotations

import logging
from pathlib import Path

from ..errors import DeviceError
from .board_target import BoardTarget
from .boards import known
from .client import Client
from .emulated_target import emulated_board
from .flash.emulated import running
from .flash.watch import Watch
from .target import Target
from .twin_target import TwinTarget

#: The emulated board of "qemu:" without a name.
DEFAULT = "mps2-an386"

log = logging.getLogger(__name__)


def open_target(
    where: str,
    baudrate: int = 115200,
    threads: int = 1,
    apart: bool = False,
    image: bytes | Path | None = None,
    watch: Watch | None = None,
) -> Target:
    """Open the target at an address and return it.

    Raises DeviceError if it cannot be opened, and ModelError if the image does not fit an emulated
    board.

    Args:
        where: "twin", "twin:strict", "qemu:mps2-an386", or a port for link.open_link().
        baudrate: The rate of a serial port.
        threads: The host's threads for the twin; other targets raise DeviceError for more than one.
        apart: The argument of Emulator, for an emulated board.
        image: The argument of emulated_board(): what load_image() will get.
        watch: Gets the progress of building an emulated board's firmware.
    """
    kind, _, rest = where.partition(":")
    if kind == "twin":
        return TwinTarget(rest or "fused", threads)
    if threads != 1:
        raise DeviceError(f"{where} with {threads} threads", "they are for the twin, on this computer")
    if kind == "qemu":
        name = rest or DEFAULT
        if (flashed := running(name)) is not None:
            log.warning("%s starts another %s than the one that was flashed: that is --on %s", where, name, flashed.url)
        return emulated_board(name, apart=apart, image=image, watch=watch)
    require_port(where)
    return BoardTarget(Client.connect(where, baudrate))


def require_port(where: str) -> None:
    """Raise DeviceError for the name of a board, which is not a port."""
    found = known().get(where)
    if found is not None:
        emulated = f"qemu:{where} is the emulated one; " if found["emulator"] else ""
        raise DeviceError(f"{where} is a board, not a port", f"{emulated}gradmote ports lists the ports of boards")
