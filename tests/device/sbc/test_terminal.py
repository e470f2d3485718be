"""At a terminal, gradmote-run shows a console to type at, and progress of what takes long."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.console_text import SILENCE

ECHO_AND_LINES = termios.ECHO | termios.ICANON | termios.ISIG


@contextmanager
def at_terminal(program, *arguments: str, cwd: Path | None = None) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A process whose stdin, stdout and stderr are a terminal; its other side."""
    keyboard, terminal = pty.openpty()
    command = [*program.command, *arguments]
    process = subprocess.Popen(command, cwd=cwd, stdin=terminal, stdout=terminal, stderr=terminal)
    try:
        yield keyboard, process
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
        os.close(keyboard)


def read_until(keyboard: int, wanted: bytes) -> bytes:
    said = b""
    while wanted not in said:
        ready, _, _ = select.select([keyboard], [], [], SILENCE)
        assert ready, f"nothing more within {SILENCE:.0f} s after {said!r}"
        said = (said + os.read(keyboard, 4096)).replace(b"\r\r\n", b"\r\n")  # a terminal puts a CR before each LF
    return said


def test_console_echoes_and_leaves_the_terminal_as_it_was(sanitized) -> None:
    with at_terminal(sanitized, "console") as (keyboard, process):
        before = termios.tcgetattr(keyboard)[3]
        assert before & ECHO_AND_LINES == ECHO_AND_LINES
        read_until(keyboard, b"> ")
        assert not termios.tcgetattr(keyboard)[3] & ECHO_AND_LINES
        os.write(keyboard, b"mex\x7fm\r")
        assert b"mex\b \bm\r\n" in read_until(keyboard, b"flash\r\n> ")
        os.write(keyboard, b"\x03")
        read_until(keyboard, b"^C\r\n> ")
        os.write(keyboard, b"\x04")
        assert process.wait() == 0
        assert termios.tcgetattr(keyboard)[3] == before


def test_training_tells_how_far_it_is(sanitized, folder: Path) -> None:
    arguments = ["train", "mlp.mote", "--input", "x.npy", "--label", "y.npy", "--epochs", "100000"]
    with at_terminal(sanitized, *arguments, cwd=folder) as (keyboard, process):
        said = read_until(keyboard, b"s left")
        assert b"\rtrain" in said and b"/2500000  epoch " in said
        process.terminate()
        read_until(keyboard, b"stopped")
        assert process.wait() == 143
