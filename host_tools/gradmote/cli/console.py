"""The command `gradmote console`, a terminal to type commands to a board."""

from __future__ import annotations

import codecs
import contextlib
import io
import re
import shutil
import signal
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ..terminal.printable import printable
from .output import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..device.link import Link

    Keys = Callable[[], str]

Port = Annotated[
    str,
    typer.Argument(
        metavar="PORT", help="/dev/ttyACM0, COM3, socket://host:port, or qemu:mps2-an386 for an emulated board."
    ),
]
Baud = Annotated[int, typer.Option("--baud", help="Rate of a serial port.")]

LEAVE = "\x1d"  # Ctrl-], as in miniterm and mpremote
INTERRUPT = "\x03"  # Ctrl-C, which ends what the board runs
_WAIT_SECONDS = 0.02
#: How long a board may be silent before the next line of a file is typed, without a prompt.
_SILENT_SECONDS = 10.0
_PROMPT = "\n> "
#: The only control characters that pass; names that a board prints may contain others.
_KEPT = re.compile("([\r\n\t\b])")


def command(port: Port, baud: Baud = 115200) -> None:
    """Type commands to a board: `help` lists them. Ctrl-C ends what the board runs; Ctrl-] leaves.

    Arrow keys edit the line and recall earlier ones; Tab completes a command. If the input is not a
    terminal, its lines are sent one by one: `echo mem | gradmote console PORT`.
    """
    with _opened(port, baud) as link:
        if sys.stdin.isatty():
            say(f"{port}: Ctrl-] leaves, Ctrl-C ends what the board runs; type help", err=True)
            _interact(link)
        else:
            _pipe(link)


@contextlib.contextmanager
def _opened(port: str, baud: int) -> Iterator[Link]:
    from ..device.emulator import Emulator
    from ..device.link import open_link

    if port.startswith("qemu:"):
        with Emulator(port.removeprefix("qemu:")) as emulator:
            link = emulator.take_link()
            yield link
            link.close()
        return
    link = open_link(port, baud)
    try:
        yield link
    finally:
        link.close()


def typed(data: bytes) -> bytes:
    """Return the bytes from the keyboard that may go to the board.

    The start byte of a frame is removed.
    """
    from ..generated.console import START

    return data.replace(bytes([START]), b"").replace(b"\n", b"\r")


class _BoardText:
    """The text that a board prints, without the frames in between."""

    def __init__(self, link: Link) -> None:
        from ..device.protocol import Parser

        self._link, self._parser = link, Parser()
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def text(self, timeout: float) -> str | None:
        """Return the text printed within `timeout` seconds, made printable; None if nothing arrives."""
        data = self._link.read(timeout)
        found = self._parser.feed(data) if data else self._parser.expire()
        text = "".join(self._decode(item) for item in found if isinstance(item, bytes))
        safe = (part if _KEPT.fullmatch(part) else printable(part) for part in _KEPT.split(text))
        return "".join(safe) if data else None


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _interact(link: Link) -> None:
    from ..generated.console import COMMANDS
    from .line_editor import Echo, LineEditor, split_keys

    board, echo, rest = _BoardText(link), Echo(), ""
    editor = LineEditor(_write, lambda: shutil.get_terminal_size().columns, list(COMMANDS))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # the terminal may have fewer characters
    link.write(b"\r")  # a fresh prompt
    with _raw_keyboard() as typed_since:
        while True:
            shown = echo.without(board.text(_WAIT_SECONDS) or "")
            if shown:
                editor.show(shown)
            keys, rest = split_keys(rest + typed_since())
            for key in keys:
                if key == LEAVE:
                    _write("\r\n")
                    return
                if key == INTERRUPT:
                    editor.forget()
                    link.write(INTERRUPT.encode())
                elif (line := editor.type(key)) is not None:
                    echo.expect(line)
                    link.write(typed(line.encode() + b"\r"))


@contextlib.contextmanager
def _raw_keyboard() -> Iterator[Keys]:
    """Yield a function that returns the keys pressed since the last call, without waiting."""
    try:
        import termios
        import tty
    except ImportError as error:
        from ..errors import DeviceError

        raise DeviceError(
            "this system has no terminal that gradmote can use", "use: python -m serial.tools.miniterm PORT"
        ) from error
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    tty.setraw(descriptor)
    try:
        yield lambda: decode(_pressed(descriptor))
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _pressed(descriptor: int) -> bytes:
    import os
    import select

    ready, _, _ = select.select([descriptor], [], [], 0)
    if not ready:
        return b""
    return os.read(descriptor, 1024) or LEAVE.encode()  # the terminal was closed


def _pipe(link: Link) -> None:
    board = _BoardText(link)
    try:
        for line in sys.stdin:
            keys = line.rstrip("\r\n")
            link.write(typed(keys.encode(errors="surrogateescape") + b"\r"))
            _show_answer(board, keys)
    except KeyboardInterrupt:
        link.write(INTERRUPT.encode())
        raise typer.Exit(128 + signal.SIGINT) from None


def _show_answer(board: _BoardText, line: str) -> None:
    """Show the text that a board prints up to the prompt after its echo of a line.

    An earlier prompt belongs to its start, or to the previous line.
    """
    echo, is_echoed, last = line + "\r\n", False, ""
    while (text := board.text(_SILENT_SECONDS)) is not None:
        _write(text)
        last += text
        if not is_echoed and echo in last:
            is_echoed, last = True, last.partition(echo)[2]
        if is_echoed and last.endswith(_PROMPT):
            return
        last = last[-len(echo + _PROMPT) :]
