"""Lines between a client and a board: one corrupts bytes, one is as slow as a UART, one delivers single bytes."""

from __future__ import annotations

import time

import numpy as np

from gradmote.device.link import Link
from gradmote.device.protocol import Frame, Parser

BYTES_PER_SECOND = 115200 / 10  # a start bit, eight of data and a stop bit each
CHUNK = 16  # bytes: an interval that the system's timer can keep


class NoisyLink:
    """Flips a bit of a byte, or loses it, with probability `rate` each, or repeats it, with a tenth of that, in both
    directions; stalls now and then.

    stalls: probability that a delivery pauses midway for up to 0.3 s: longer than the board waits for a frame.
    """

    def __init__(self, link: Link, seed: int, rate: float = 1e-3, stalls: float = 0.005) -> None:
        self.url = link.url
        self.flipped = self.lost = self.repeated = self.stalled = 0
        self._link = link
        self._rng = np.random.default_rng(seed)
        self._rate, self._stalls = rate, stalls
        self._late = b""

    def write(self, data: bytes) -> None:
        first, rest = self._delivery(data)
        self._link.write(first)
        if rest:
            self._stall()
            self._link.write(rest)

    def read(self, timeout: float) -> bytes:
        if self._late:
            self._stall()
            data, self._late = self._late, b""
            return data
        first, self._late = self._delivery(self._link.read(timeout))
        return first

    def close(self) -> None:
        self._link.close()

    def _delivery(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the corrupted data in two parts: one that arrives at once, and one that arrives after a stall."""
        damaged = self._damaged(data)
        if not data or self._rng.random() >= self._stalls:
            return damaged, b""
        cut = int(self._rng.integers(len(damaged) + 1))
        return damaged[:cut], damaged[cut:]

    def _stall(self) -> None:
        self.stalled += 1
        time.sleep(float(self._rng.uniform(0, 0.3)))

    def _damaged(self, data: bytes) -> bytes:
        arrived = bytearray()
        for byte, luck in zip(data, self._rng.random(len(data)) / self._rate, strict=True):
            if luck < 1:
                self.flipped += 1
                arrived.append(byte ^ 1 << int(self._rng.integers(8)))
            elif luck < 2:
                self.lost += 1
            else:
                again = luck < 2.1
                self.repeated += again
                arrived += bytes([byte]) * (1 + again)
        return bytes(arrived)


class SlowLink:
    """Carries bytes towards the board at the speed of a UART, and checks how many requests are unanswered.

    requests: type and bytes of each request sent. Fails if one is sent before the last was answered.
    """

    def __init__(self, link: Link) -> None:
        self.url = link.url
        self.requests: list[tuple[int, int]] = []
        self._link = link
        self._parser = Parser()
        self._waiting = False

    def write(self, data: bytes) -> None:
        assert not self._waiting, "two frames under way"
        self._waiting = True
        self.requests.append((data[1], len(data)))
        due = time.monotonic()
        for at in range(0, len(data), CHUNK):
            due += len(data[at : at + CHUNK]) / BYTES_PER_SECOND
            time.sleep(max(0.0, due - time.monotonic()))
            self._link.write(data[at : at + CHUNK])

    def read(self, timeout: float) -> bytes:
        data = self._link.read(timeout)
        frames = [item for item in self._parser.feed(data) if isinstance(item, Frame)]
        self._waiting = self._waiting and not frames
        return data

    def close(self) -> None:
        self._link.close()


class ByteLink:
    """Delivers the board's bytes one by one, like a slow line to a fast reader."""

    def __init__(self, link: Link) -> None:
        self.url = link.url
        self._link = link
        self._arrived = b""

    def read(self, timeout: float) -> bytes:
        arrived = self._arrived or self._link.read(timeout)
        self._arrived = arrived[1:]
        return arrived[:1]

    def write(self, data: bytes) -> None:
        self._link.write(data)

    def close(self) -> None:
        self._link.close()
