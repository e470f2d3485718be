"""A line as fast as a UART in both directions, which counts its bytes."""

from __future__ import annotations

import time

from gradmote.device.link import Link

from .noisy_link import BYTES_PER_SECOND, CHUNK


class PacedLink:
    """Delivers each byte when a UART would: one byte's time after the previous one, or after it was sent.

    up, down: bytes from the board and to it. Both directions may be busy at the same time.
    """

    def __init__(self, link: Link, bytes_per_second: float = BYTES_PER_SECOND) -> None:
        self.url, self.up, self.down = link.url, 0, 0
        self._link, self._seconds = link, 1 / bytes_per_second
        self._arrived = b""
        self._free = 0.0  # when the line to this side finishes its last byte

    def write(self, data: bytes) -> None:
        """Return when the last byte has reached the board."""
        self.down += len(data)
        due = time.monotonic()
        for at in range(0, len(data), CHUNK):
            piece = data[at : at + CHUNK]
            due += len(piece) * self._seconds
            time.sleep(max(0.0, due - time.monotonic()))
            self._link.write(piece)

    def read(self, timeout: float) -> bytes:
        """Return the next bytes once the line has carried them; b"" if none was sent within `timeout` seconds."""
        if not self._arrived:
            self._arrived = self._link.read(timeout)
            self._free = max(self._free, time.monotonic())
        piece, self._arrived = self._arrived[:CHUNK], self._arrived[CHUNK:]
        self._free += len(piece) * self._seconds
        time.sleep(max(0.0, self._free - time.monotonic()))
        self.up += len(piece)
        return piece

    def close(self) -> None:
        self._link.close()
