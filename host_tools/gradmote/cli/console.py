"""The command `gradmote console`, a terminal to type commands to a board."""

from __future__ import annotations

import codecs
import contextlib
import io
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DataError
from ..terminal.printable import printable
from .messages import is_quiet
from .output import say
from .watching import watching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..device.emulator import Emulator
    from ..device.link import Link

    Keys = Callable[[], str]

Port = Annotated[
    str,
    typer.Argument(
        metavar="PORT",
        help="/dev/ttyACM0, COM3, socket://host:port, or qemu:BOARD for an emulated one, such as qemu:microbit.",
    ),
]
Baud = Annotated[int, typer.Option("--baud", help="Rate of a serial port.")]
Model = Annotated[
    Path | None,
    typer.Option(exists=True, dir_okay=False, help="The model (.mote) in the flash of an emulated board at its start."),
]

LEAVE = "\x1d"  # Ctrl-], as in miniterm and mpremote
INTERRUPT = "\x03"  # Ctrl-C, which ends what the board runs
_WAIT_SECONDS = 0.02
#: How long a board may be silent before the next line of a file is typed, without a prompt.
_SILENT_SECONDS = 10.0
_PROMPT = "\n> "
#: The only control characters that pass; names that a board prints may contain others.
_KEPT = re.compile("([\r\n\t\b])")


def command(port: Port, baud: Baud = 115200, model: Model = None) -> None:
    """Type commands to a board: `help` lists them. Ctrl-C ends what the board runs; Ctrl-] leaves.

    Arrow keys edit the line and recall earlier ones; Tab completes a command. If the input is not a
    terminal, its lines are sent one by one: `echo mem | gradmote console PORT`.

    `gradmote console qemu:microbit --model model.mote` starts an emulated board that has a model; it
    ends with this command.
    """
    with _opened(port, baud, model) as link:
        if sys.stdin.isatty():
            say(f"{port}: Ctrl-] leaves, Ctrl-C ends what the board runs; type help", err=True)
            _interact(link)
        else:
            _pipe(link)


@contextlib.contextmanager
def _opened(port: str, baud: int, model: Path | None) -> Iterator[Link]:
    from ..device.link import open_link

    if port.startswith("qemu:"):
        with _started(port.removeprefix("qemu:"), model) as emulator:
            link = emulator.take_link()
            yield link
            link.close()
        return
    if model is not None:
        raise DataError(
            f"--model is for an emulated board, not for {port}", "send it: gradmote train, or gradmote flash"
        )
    link = open_link(port, baud)
    try:
        yield link
    finally:
        link.close()


def _started(name: str, model: Path | None) -> Emulator:
    from ..device.emulator import Emulator
    from ..device.target_factory import DEFAULT

    with watching(is_quiet()) as watch:
        return Emulator(name or DEFAULT, image=model, watch=watch)


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
