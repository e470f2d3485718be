"""The serial ports of the host: which ones belong to a board, and which board answers there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradmote.device.boards import Board
from gradmote.errors import GradmoteError
from gradmote.generated.console import FAULTS
from gradmote.generated.errors import ERRORS

from .client import Client

_ATTEMPTS = 2  # each takes a client's full time-out at a silent port


@dataclass(frozen=True)
class Port:
    """A serial port of the host.

    Attributes:
        device: Its name, as open_link() takes it.
        usb: VID:PID, hexadecimal.
        description: The system's description of it.
    """

    device: str
    usb: str
    description: str


@dataclass(frozen=True)
class Answer:
    """The board that answers at a port.

    Attributes:
        port: The port.
        board: The board's name.
        version: The version of its runtime.
        profile: Its numerics profile.
        model: The id of its model, hexadecimal, or why there is none.
        unique_id: The part's serial number; 0 if it has none.
        problem: Why nothing answers; the fields from board to unique_id are empty then.
    """

    port: str
    board: str = ""
    version: str = ""
    profile: str = ""
    model: str = ""
    unique_id: int = 0
    problem: str = ""


def serial_ports() -> list[Port]:
    """Return the serial ports on USB, sorted by name."""
    from serial.tools import list_ports

    return [
        Port(port.device, f"{port.vid:04x}:{port.pid:04x}", port.description or "")
        for port in sorted(list_ports.comports(), key=lambda port: str(port.device))
        if port.vid is not None
    ]


def ports_of(board: Board, ports: Sequence[Port]) -> list[Port]:
    """Return the ports that may be this board, by the USB ids in its board.toml."""
    return [port for port in ports if port.usb in {usb.lower() for usb in board.usb}]


def ask(port: str) -> Answer:
    """Ask the board at a port for its identity, in up to two attempts."""
    try:
        with Client.connect(port, attempts=_ATTEMPTS) as client:
            info, raw = client.info(), client.raw_info
    except GradmoteError as error:
        return Answer(port, problem=error.message)
    model = info.model_id.hex() if info.status == 0 else status_text(info.status)
    return Answer(port, info.name, info.version, info.profile, model, raw["unique_id"])


def status_text(status: int) -> str:
    """Return the meaning of an image's negative status."""
    _, text, _ = FAULTS.get(status) or ERRORS.get(status) or ("", f"error {status}", "")
    return text
