"""Each piece of the echo of garbage counted as a corrupt answer, and had the request sent again at once, 36 times.

The line never became quiet, so a board that skipped the rest of a corrupt frame could not answer any more.
"""

from __future__ import annotations

import random
from collections import deque

import pytest

from gradmote.device.protocol import Frame, Parser, encode, message_id
from gradmote.device.requests import Requests
from gradmote.generated import console

ANSWER = Frame(message_id("REBOOT") | console.REPLY_BIT, 0, b"")


class Skipping:
    """A board that skips a corrupt frame until its line is quiet, while its echo of garbage arrives byte by byte."""

    url = "fake"

    def __init__(self, echo: bytes, skips: bool) -> None:
        self.requests = 0
        self._coming = deque(bytes([byte]) for byte in echo)
        self._skips = skips
        self._parser = Parser()

    def read(self, timeout: float) -> bytes:
        if self._coming:
            return self._coming.popleft()
        self._skips = False  # the line is quiet
        return b""

    def write(self, data: bytes) -> None:
        for frame in self._parser.feed(data):
            assert isinstance(frame, Frame)
            self.requests += 1
            if not self._skips:
                self._coming.append(encode(Frame(ANSWER.type, frame.sequence, b"")))

    def close(self) -> None: ...


ECHOES = {"letters": "é".encode() * 100, "frames": b"\x01\x81" * 100, "any": random.Random(0).randbytes(400)}


@pytest.mark.parametrize("skips", [False, True], ids=["answers behind it", "skips until it is quiet"])
@pytest.mark.parametrize("echo", ECHOES)
def test_what_is_ahead_of_the_answer_is_read_to_its_end(echo: str, skips: bool) -> None:
    link = Skipping(ECHOES[echo], skips)
    Requests(link).request("REBOOT")
    assert link.requests == 1 + skips
