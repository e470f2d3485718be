"""The training target for an emulated board with its own emulator."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from gradmote.device.boards import board
from gradmote.errors import DeviceError

from .board_target import BoardTarget
from .client import Client
from .emulator import Emulator
from .protocol import error_of
from .requests import Progress
from .twin_target import TwinTarget
from .types import Update


def emulated_board(
    name: str, firmware: Path | str | None = None, icount: bool = False, apart: bool = False
) -> BoardTarget:
    """Start an emulator and return the board on it; closing the board stops the emulator.

    The arguments are the same as for Emulator.
    """
    if not board(name).flash_is_emulated:
        return PreloadedTarget(name, firmware, icount, apart)
    emulator = Emulator(name, firmware, icount, apart=apart)
    return BoardTarget(_connected(emulator), on_close=emulator.stop)


def _connected(emulator: Emulator) -> Client:
    try:
        return emulator.connect()
    except BaseException:
        emulator.stop()
        raise


class PreloadedTarget(BoardTarget):
    """An emulated board whose emulator cannot program flash, the memory for images and checkpoints.

    It restarts with each new image in its flash. The host computes the checkpoint of save(), and
    load() raises an error. The arguments are the same as for Emulator.
    """

    def __init__(
        self, name: str, firmware: Path | str | None = None, icount: bool = False, apart: bool = False
    ) -> None:
        """Start the emulator without an image."""
        self._start = partial(Emulator, name, firmware, icount, apart=apart)
        emulator = self._start()
        super().__init__(_connected(emulator), on_close=emulator.stop)

    def _send_image(self, image: bytes, progress: Progress | None) -> None:
        emulator = self._start(image)
        client = _connected(emulator)
        self.close()
        self.board, self._on_close = client, emulator.stop
        if self.info().status != 0:
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
