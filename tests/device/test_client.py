"""The client against a line that drops and corrupts, without an emulator."""

from __future__ import annotations

import os
import pty
import socket
import struct
import threading
from collections.abc import Callable

import pytest

from gradmote.device import client, open_target, requests
from gradmote.device.chunk_sizing import ChunkSizer
from gradmote.device.client import Client
from gradmote.device.link import ConnectionLost, open_link
from gradmote.device.protocol import Frame, Parser, encode, message_id
from gradmote.errors import DeviceError
from gradmote.generated import console

INFO_REPLY = struct.pack(
    "<HH3BBIIi7I16s5IQ8s", 1, 1024, 0, 1, 0, 1, 1, 1000, -103, *[0] * 7, bytes(16), 1, 2, 3, 0, 0, 4, bytes(8)
)


class FakeBoard:
    """A link to a board that answers INFO and MEM. `answer` may change what it sends."""

    url = "fake"

    def __init__(self, answer: Callable[[int, bytes], bytes] = lambda number, data: data) -> None:
        self.answer = answer
        self.seen: list[Frame] = []
        self.out = b""
        self._parser = Parser()

    def write(self, data: bytes) -> None:
        for frame in self._parser.feed(data):
            assert isinstance(frame, Frame)
            self.seen.append(frame)
            payload = INFO_REPLY + b"fake" if frame.type == message_id("INFO") else struct.pack("<8I", *range(8))
            reply = encode(Frame(frame.type | console.REPLY_BIT, frame.sequence, payload))
            self.out += self.answer(len(self.seen), reply)

    def read(self, timeout: float) -> bytes:
        piece, self.out = self.out[:7], self.out[7:]
        return piece

    def close(self) -> None:
        self.out = b""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_PATIENCE", {"INFO": 0.05})
    monkeypatch.setattr(requests, "_DEFAULT_PATIENCE", 0.05)


def test_info_is_read_field_by_field() -> None:
    info = Client(FakeBoard()).info()
    assert (info.name, info.version, info.profile, info.status) == ("fake", "0.1.0", "fused", -103)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:-3],
        lambda data: data[:8] + bytes([data[8] ^ 4]) + data[9:],
        lambda data: encode(Frame(console.ERROR_TYPE, 0, struct.pack("<i", -100))),
    ],
    ids=["lost", "half", "damaged", "request damaged"],
)
def test_a_spoilt_answer_is_asked_for_again_under_the_same_sequence(spoil: Callable[[bytes], bytes]) -> None:
    link = FakeBoard(lambda number, data: spoil(data) if number in (2, 3) else data)
    board = Client(link)
    assert board.mem().ram == 0
    assert board.retries == 2
    assert len({frame.sequence for frame in link.seen[1:]}) == 1


def test_a_board_that_falls_silent() -> None:
    board = Client(FakeBoard(lambda number, data: data if number == 1 else b""))
    with pytest.raises(DeviceError, match=r"fake at fake does not answer MEM any more - press its reset button"):
        board.mem()


def test_text_and_old_answers_between_are_left_out() -> None:
    texts: list[str] = []
    stale = encode(Frame(message_id("MEM") | console.REPLY_BIT, 77, bytes(32)))
    link = FakeBoard(lambda number, data: b"hello " + stale + data)
    board = Client(link, texts.append)
    board._sequence = 100
    assert board.mem().static_ram == 1
    assert "".join(texts) == "hello hello "
    assert board.retries == 0


def test_silence_is_an_error_that_names_the_port() -> None:
    with pytest.raises(DeviceError, match=r"no answer from fake to INFO - .*gradmote console fake"):
        Client(FakeBoard(lambda number, data: b""))


def test_other_firmware_is_told_apart_from_silence() -> None:
    with pytest.raises(DeviceError, match="other firmware"):
        Client(FakeBoard(lambda number, data: b"login: "))


def test_another_protocol_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "PROTOCOL", 2)
    with pytest.raises(DeviceError, match="version 1 of the protocol, this gradmote 2"):
        Client(FakeBoard())


def test_signs_of_life_prolong_the_wait() -> None:
    class Slow(FakeBoard):
        def read(self, timeout: float) -> bytes:
            if len(self.seen) == 2 and self.signs:
                self.signs -= 1
                return encode(Frame(console.ALIVE_TYPE, self.seen[-1].sequence, bytes(4)))
            return super().read(timeout)

        signs = 50

    link = Slow()
    assert Client(link).mem().ram == 0
    assert len(link.seen) == 2


# ---- Ports that are none --------------------------------------------------------------------------------------------


def test_a_port_that_is_not_there() -> None:
    with pytest.raises(DeviceError, match=r"cannot open /dev/no-such-port .*list_ports"):
        open_target("/dev/no-such-port")


def test_a_socket_where_nothing_listens() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(DeviceError, match="nothing listens"):
        open_target(f"socket://127.0.0.1:{port}")
    with pytest.raises(DeviceError, match="HOST:PORT"):
        open_target("socket://nowhere")


def test_a_line_that_serves_another_client() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def turn_away() -> None:
            client, _ = server.accept()
            client.recv(64)
            client.sendall(b"another client is connected\r\n")
            client.close()

        busy = threading.Thread(target=turn_away)
        busy.start()
        with pytest.raises(DeviceError, match=r"closed .*'another client is connected'.*serves one at a time"):
            open_target(f"socket://127.0.0.1:{server.getsockname()[1]}")
        busy.join()


def test_a_port_that_goes_away_while_the_board_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Usb(FakeBoard):
        def read(self, timeout: float) -> bytes:
            if any(frame.type == message_id("REBOOT") for frame in self.seen):
                raise ConnectionLost("/dev/ttyACM0", "unplugged")
            return super().read(timeout)

    def open_link(port: str, baudrate: int) -> FakeBoard:
        opened.append(port)
        if len(opened) in (2, 3):
            raise DeviceError(f"cannot open {port}")
        return Usb()

    opened: list[str] = []
    monkeypatch.setattr(client, "open_link", open_link)
    monkeypatch.setattr(client, "_RETRY_SECONDS", 0.01)
    board = Client.connect("/dev/ttyACM0")
    board.reboot()
    assert board.mem().ram == 0 and opened == ["/dev/ttyACM0"] * 4


def test_a_serial_port_that_disappears() -> None:
    master, slave = pty.openpty()
    link = open_link(os.ttyname(slave))
    os.write(master, b"abc")
    assert link.read(1.0) in (b"a", b"abc")
    os.close(slave)
    os.close(master)
    with pytest.raises(DeviceError, match="lost the connection"):
        for _ in range(5):
            link.write(b"x")
            link.read(0.05)
    link.close()


def test_a_serial_port_serves_one_program_at_a_time() -> None:
    master, slave = pty.openpty()
    link = open_link(os.ttyname(slave))
    with pytest.raises(DeviceError, match="cannot open .*lock"):
        open_link(os.ttyname(slave))
    link.close()
    open_link(os.ttyname(slave)).close()
    os.close(slave)
    os.close(master)


def test_an_unknown_profile_of_the_twin() -> None:
    with pytest.raises(DeviceError, match="twin:strict"):
        open_target("twin:quick")


# ---- Chunks ---------------------------------------------------------------------------------------------------------


def test_chunks_get_shorter_with_losses_and_longer_again() -> None:
    chunks = ChunkSizer(attempts=6)
    assert chunks.size(1020) == 1020
    for expected in (508, 252, 124, 60, 32, 32):
        chunks.adapt(arrived=False)
        assert abs(chunks.size(1020) - expected) <= 4
    for _ in range(16):
        chunks.adapt(arrived=True)
    assert chunks.size(1020) == 1020 and chunks.size(153) == 152


def test_a_silent_board_is_given_up_before_a_noisy_line() -> None:
    chunks = ChunkSizer(attempts=2)
    assert [chunks.gives_up(answered=False, damaged=False) for _ in range(2)] == [False, True]
    chunks.gives_up(answered=True, damaged=False)
    assert [chunks.gives_up(answered=False, damaged=True) for _ in range(12)] == [False] * 11 + [True]
