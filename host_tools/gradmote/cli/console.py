"""gradmote console: a terminal to type commands to a board."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from .output import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..device.link import Link
    from ..device.protocol import Parser

    Keys = Callable[[], bytes]

Port = Annotated[
    str,
    typer.Argument(
        metavar="PORT", help="/dev/ttyACM0, COM3, socket://host:port, or qemu:mps2-an386 for an emulated board."
    ),
]
Baud = Annotated[int, typer.Option("--baud", help="Of a serial port.")]

LEAVE = b"\x03\x1d"  # Ctrl-C, Ctrl-]
_WAIT_SECONDS = 0.05
_AFTER_INPUT_SECONDS = 0.5


def command(port: Port, baud: Baud = 115200) -> None:
    """Type commands to a board: `help` lists them. Ctrl-C or Ctrl-] leaves.

    Where the input is not a terminal, its lines are sent one by one: `echo mem | gradmote console PORT`.
    """
    with _opened(port, baud) as link:
        if sys.stdin.isatty():
            say(f"{port}: Ctrl-C or Ctrl-] leaves; type help", err=True)
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
    """What of the keyboard's bytes may go to the board: a frame's start byte may not."""
    from ..generated.console import START

    return data.replace(bytes([START]), b"").replace(b"\n", b"\r")


def _show(link: Link, parser: Parser, timeout: float) -> bool:
    """Prints what the board says within `timeout` seconds; False where it said nothing."""
    data = link.read(timeout)
    for item in parser.feed(data) if data else parser.expire():
        if isinstance(item, bytes):
            sys.stdout.write(item.decode(errors="replace"))
    sys.stdout.flush()
    return bool(data)


def _interact(link: Link) -> None:
    from ..device.protocol import Parser

    parser = Parser()
    link.write(b"\r")  # a fresh prompt
    with _raw_keyboard() as keys:
        while True:
            _show(link, parser, _WAIT_SECONDS)
            data = keys()
            if any(key in LEAVE for key in data):
                sys.stdout.write("\r\n")
                return
            if data:
                link.write(typed(data))


@contextlib.contextmanager
def _raw_keyboard() -> Iterator[Keys]:
    """A function that returns the keys pressed since the last call, without waiting."""
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
    tty.setraw(descriptor)
    try:
        yield lambda: _pressed(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _pressed(descriptor: int) -> bytes:
    import os
    import select

    ready, _, _ = select.select([descriptor], [], [], 0)
    return os.read(descriptor, 64) if ready else b""


def _pipe(link: Link) -> None:
    from ..device.protocol import Parser

    parser = Parser()
    for line in sys.stdin:
        link.write(typed(line.rstrip("\r\n").encode() + b"\r"))
        while _show(link, parser, _AFTER_INPUT_SECONDS):
            continue
