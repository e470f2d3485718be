"""Ctrl-C in `gradmote console` left the console while the board trained on; arrow keys printed letters, and letters
beyond ASCII nothing."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from gradmote.device.link import Link
from support.console_text import read_prompt

MAIN = "import sys; from gradmote.cli import main; sys.exit(main())"


class Terminal:
    """`gradmote console` in a terminal of its own."""

    def __init__(self, port: str) -> None:
        self._master, slave = pty.openpty()
        command = [sys.executable, "-c", MAIN, "console", port]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)
        self._seen = b""

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def until(self, wanted: str) -> str:
        """Wait until the terminal shows the wanted text, and return what it shows before that."""
        deadline = time.monotonic() + 30
        while wanted.encode() not in self._seen:
            assert time.monotonic() < deadline, self._seen
            self._seen += self._read(0.1)
        before, _, self._seen = self._seen.partition(wanted.encode())
        return before.decode()

    def _read(self, seconds: float) -> bytes:
        ready, _, _ = select.select([self._master], [], [], seconds)
        with contextlib.suppress(OSError):
            return os.read(self._master, 4096) if ready else b""
        return b""

    def leave(self) -> int:
        self.type("\x1d")
        deadline = time.monotonic() + 30
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read(0.1)
        return self.process.wait(1)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


class PretendedBoard(threading.Thread):
    """A board's line: it echoes, and trains until Ctrl-C."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"
        self.lines: list[str] = []
        self.interrupted = 0

    def run(self) -> None:
        line = b""
        connection, _ = self._listener.accept()
        while byte := connection.recv(1):
            if byte == b"\x03":
                self.interrupted += 1
                connection.sendall(b"^C\r\n> ")
            elif byte == b"\r":
                self.lines.append(line.decode())
                said = b"" if line == b"train" else f"got {line.decode()} \x1b]0;title\x07\r\n> ".encode()
                connection.sendall(b"\r\n" + said)
                line = b""
            else:
                line += byte
                connection.sendall(byte)


@pytest.fixture
def board() -> Iterator[PretendedBoard]:
    started = PretendedBoard()
    started.start()
    yield started


@pytest.fixture
def terminal(board: PretendedBoard) -> Iterator[Terminal]:
    opened = Terminal(board.url)
    opened.until("> ")
    yield opened
    opened.close()


def test_ctrl_c_goes_to_the_board(terminal: Terminal, board: PretendedBoard) -> None:
    terminal.type("train\r")
    terminal.until("train")
    terminal.type("\x03")
    terminal.until("^C\r\n> ")
    assert board.interrupted == 1 and terminal.process.poll() is None
    assert terminal.leave() == 0


def test_lines_are_edited_and_come_back(terminal: Terminal, board: PretendedBoard) -> None:
    terminal.type("hlp\x1b[D\x1b[De\r")
    terminal.until("got help")
    terminal.type("\x1b[A\x7f!\r")
    terminal.until("got hel!")
    assert board.lines[1:] == ["help", "hel!"]
    assert terminal.leave() == 0


def test_letters_beyond_ascii_are_shown(terminal: Terminal, board: PretendedBoard) -> None:
    terminal.type("größe\r")
    assert "größe" in terminal.until("got ")
    shown = terminal.until("\r\n> ")
    assert shown.startswith("größe") and board.lines[1:] == ["größe"]


def test_the_terminal_obeys_nothing_that_a_board_prints(terminal: Terminal) -> None:
    terminal.type("x\r")
    assert "\\x1b]0;title\\x07" in terminal.until("\r\n> ")


@pytest.mark.device
def test_a_board_takes_letters_beyond_ascii_and_erases_them_whole(emulator_link: Link) -> None:
    emulator_link.write("grö\x7fß\r".encode())
    assert "unknown command 'grß'" in read_prompt(emulator_link)


@pytest.mark.device
def test_ctrl_c_ends_a_training_on_an_emulated_board(firmware: object) -> None:
    opened = Terminal("qemu:mps2-an386")
    try:
        opened.until("> ")
        opened.type("hlp\x1b[D\x1b[De\r")
        opened.until("list the commands")
        opened.type("\x03")
        opened.until("^C")
        assert opened.leave() == 0
    finally:
        opened.close()


@pytest.fixture
def firmware() -> None:
    from support.firmware import build_firmware

    build_firmware()


@pytest.fixture
def emulator_link(firmware: None) -> Iterator[Link]:
    from gradmote.device.emulator import Emulator

    with Emulator() as emulator:
        link = emulator.take_link()
        read_prompt(link)
        yield link
        link.close()
