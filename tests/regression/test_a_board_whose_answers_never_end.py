"""A board whose answers never end: the client asked it forever.

READ of a source that has a size and sends no bytes, signs of life that report no work, and frames that hold no data:
the client waited or asked again without an end, as each answer by itself is in order.
"""

from __future__ import annotations

import struct

import pytest

from gradmote.device import requests
from gradmote.device.client import Client
from gradmote.device.protocol import Frame, Parser, encode, message_id
from gradmote.errors import DeviceError
from gradmote.generated import console

MOST = 100  # requests, and reads, after which a client is taken to go on forever
INFO = struct.pack("<2H4B2Ii8I16B5IQ8s", 1, 256, 0, 1, 0, 0, 1, 1, 0, *[8] * 8, *[0] * 16, *[64] * 5, 0, bytes(8))


class Board:
    """A board with answers of a test, at the other end of a link."""

    url = "a board"

    def __init__(self, answers: dict[str, bytes], info: bytes = INFO, alive: bool = False) -> None:
        self.answers = {message_id(name): payload for name, payload in answers.items()}
        self.answers[message_id("INFO")] = info + b"board"
        self.alive = alive
        self.asked = self.read_so_far = 0
        self.sent: list[bytes] = []
        self.parser = Parser()

    def write(self, data: bytes) -> None:
        self.asked += 1
        assert self.asked < MOST, "it asks without an end"
        for frame in self.parser.feed(data):
            assert isinstance(frame, Frame)
            if frame.type in self.answers:
                self.sent.append(
                    encode(Frame(frame.type | console.REPLY_BIT, frame.sequence, self.answers[frame.type]))
                )
            self.sequence = frame.sequence

    def read(self, timeout: float) -> bytes:
        self.read_so_far += 1
        assert self.read_so_far < MOST, "it waits without an end"
        if not self.sent and self.alive:
            return encode(Frame(console.ALIVE_TYPE, self.sequence, struct.pack("<I", 8)))
        return self.sent.pop(0) if self.sent else b""

    def close(self) -> None:
        pass


class Clock:
    """A clock on which each look takes a quarter of a second."""

    now = 0.0

    def monotonic(self) -> float:
        self.now += 0.25
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "time", Clock())


@pytest.mark.parametrize("sent", [b"", b"more than there is"], ids=["nothing", "too much"])
def test_reading_ends(sent: bytes) -> None:
    board = Client(Board({"READ": struct.pack("<I", 10) + sent}))
    with pytest.raises(DeviceError, match="STATE has 10 bytes"):
        board.read("STATE")


def test_waiting_for_a_program_ends() -> None:
    line = Board({})
    board = Client(line, attempts=1)
    line.alive = True
    with pytest.raises(DeviceError, match="does not answer RUN any more"):
        board.run("step")


def test_frames_hold_something() -> None:
    info = INFO[:2] + struct.pack("<H", 8) + INFO[4:]
    with pytest.raises(DeviceError, match="longest frames of 8 bytes"):
        Client(Board({"DATA_U8": b""}, info)).write_u8("input", 0, bytes(100))
