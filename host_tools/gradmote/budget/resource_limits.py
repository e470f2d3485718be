"""Limits on the RAM, flash and time that an image may take."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ..device.boards import Board
from ..errors import ModelError

UNITS = {"": 1, "K": 1024, "M": 1024**2}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KM]?)(?:i?B)?", re.IGNORECASE)


def bytes_of(text: str) -> int:
    """Return the number of bytes in a text: 98304 for 96K.

    K and M are 1024 and 1024^2 bytes. Raises ModelError for a text that is not a size.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ModelError(f"'{text}' is not a size", "write bytes, or 96K, 1.5M")
    return int(float(found[1]) * UNITS[found[2].upper()])


@dataclass(frozen=True)
class Limits:
    """Limits of a search; None means no limit.

    ram: bytes of arena. flash: bytes of image. ms: milliseconds of one update, including all its
    micro-batches, on a Cortex-M4F of `clock` Hz that executes one instruction per cycle. more: how much
    longer an update may take to recompute values instead of keeping them in RAM, as a fraction of its
    machine instructions (0.3 for 30 %).
    """

    ram: int | None = None
    flash: int | None = None
    ms: float | None = None
    clock: float = 64e6
    more: float = 0.0

    def beside(self, board: Board) -> Limits:
        """Return the limits for an image after the board's firmware.

        Without a limit on RAM or flash, it is what the board has.
        """
        ram, flash = board.arena_available, board.image_area
        if self.ram is not None:
            ram = min(ram, self.ram - board.static_ram - board.stack_bound)
        if self.flash is not None:
            flash = min(flash, self.flash - board.code)
        return replace(self, ram=max(ram, 0), flash=max(flash, 0))

    def excess(self, ram: int, flash: int, ms: float | None) -> list[str]:
        """Return in words which limits are exceeded; empty if the image fits.

        An unknown time (None) exceeds any limit.
        """
        words = []
        if self.ram is not None and ram > self.ram:
            words.append(f"{ram:,} B of RAM of {self.ram:,}")
        if self.flash is not None and flash > self.flash:
            words.append(f"{flash:,} B of flash of {self.flash:,}")
        if self.ms is not None and (ms is None or ms > self.ms):
            words.append(f"{'unknown' if ms is None else f'{ms:,.1f}'} ms of {self.ms:,g}")
        return words
