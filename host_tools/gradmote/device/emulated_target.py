"""The training target for an emulated board with its own emulator."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from gradmote.device.boards import board
from gradmote.errors import DeviceError

from .board_target import BoardTarget
from .client import Client
from .emulated_firmware import firmware_for
from .emulator import Emulator
from .flash.watch import Watch
from .protocol import error_of
from .requests import Progress
from .twin_target import TwinTarget
from .types import Update


def emulated_board(
    name: str,
    firmware: Path | str | None = None,
    icount: bool = False,
    apart: bool = False,
    image: bytes | Path | None = None,
    watch: Watch | None = None,
) -> BoardTarget:
    """Start an emulator and return the board on it; closing the board stops the emulator.

    Args:
        name: The board.
        firmware: The firmware; by default that of firmware_for(), built if it is missing.
        icount: The argument of Emulator.
        apart: The argument of Emulator.
        image: The image that load_image() will get first. The firmware is chosen for it, and an
            image that does not fit is refused before anything is built.
        watch: Gets the progress of building firmware.
    """
    kind = EmulatedTarget if board(name).flash_is_emulated else PreloadedTarget
    return kind(name, firmware, icount, apart, image, watch)


class EmulatedTarget(BoardTarget):
    """An emulated board, which restarts with other firmware for an image that its own cannot run.

    The arguments are the same as for emulated_board().
    """

    def __init__(
        self,
        name: str,
        firmware: Path | str | None = None,
        icount: bool = False,
        apart: bool = False,
        image: bytes | Path | None = None,
        watch: Watch | None = None,
    ) -> None:
        """Start the emulator without an image."""
        self._firmware_for = partial(firmware_for, name, firmware, watch=watch)
        self._start = partial(Emulator, name, icount=icount, apart=apart)
        self._firmware = self._firmware_for(image)
        emulator = self._start(self._firmware)
        super().__init__(_connected(emulator), on_close=emulator.stop)

    def _send_image(self, image: bytes, progress: Progress | None) -> None:
        firmware = self._firmware_for(image)
        if firmware != self._firmware:
            self._restart(firmware)
        super()._send_image(image, progress)

    def _restart(self, firmware: Path, image: bytes | None = None) -> None:
        """Replace the running board, once its successor answers; image: for the flash at the start."""
        emulator = self._start(firmware, image=image)
        client = _connected(emulator)
        self.close()
        self.board, self._on_close, self._firmware = client, emulator.stop, firmware


def _connected(emulator: Emulator) -> Client:
    try:
        return emulator.connect()
    except BaseException:
        emulator.stop()
        raise


class PreloadedTarget(EmulatedTarget):
    """An emulated board whose emulator cannot program flash, the memory for images and checkpoints.

    It restarts with each new image in its flash. The host computes the checkpoint of save(), and
    load() raises an error.
    """

    def _send_image(self, image: bytes, progress: Progress | None) -> None:
        self._restart(self._firmware_for(image), image)
        if self.info().status != 0:
            self.board.require_fit(image)
            raise error_of(self.info().status, f"{self.name}: image")
        if progress:
            progress(len(image), len(image))

    def update_image(self, image: bytes, carry_over: bool = True, progress: Progress | None = None) -> Update:
        """Raise DeviceError: an update would go to flash."""
        raise DeviceError(
            f"updates go to flash, which the emulator of {self.name} cannot program",
            f"twin:{self.info().profile} carries over the same bits",
        )

    def save(self, half: bool = False) -> bytes:
        """Return a checkpoint that the twin makes from the board's state."""
        with TwinTarget(self.info().profile) as twin:
            twin.load_image(self.image())
            twin.session.state()[:] = self.state()
            return twin.save(half)

    def load(self, checkpoint: bytes) -> None:
        """Raise DeviceError: a board loads checkpoints from flash."""
        raise DeviceError(
            f"checkpoints are loaded from flash, which the emulator of {self.name} cannot program",
            f"twin:{self.info().profile} trains to the same bits, and loads them",
        )
