"""Serial ports of this computer: which belong to a board, and who answers there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from serial.tools import list_ports

from gradmote.device.boards import Board as Known
from gradmote.errors import GradmoteError
from gradmote.generated.console import FAULTS
from gradmote.generated.errors import ERRORS

from .client import Board

_ATTEMPTS = 2  # an empty port costs that many times a client's patience


@dataclass(frozen=True)
class Port:
    """device: as open_link() takes it. usb: VID:PID, hexadecimal; "" where it is not on USB."""

    device: str
    usb: str
    description: str


@dataclass(frozen=True)
class Answer:
    """Who answers at a port. unique_id: of the part; 0 where it has none. model: the name of its id, or why there is
    none. problem: why nothing answers; all else is empty then."""

    port: str
    board: str = ""
    version: str = ""
    profile: str = ""
    model: str = ""
    unique_id: int = 0
    problem: str = ""


def serial_ports() -> list[Port]:
    """Those on USB, by name."""
    return [
        Port(port.device, f"{port.vid:04x}:{port.pid:04x}", port.description or "")
        for port in sorted(list_ports.comports(), key=lambda port: str(port.device))
        if port.vid is not None
    ]


def ports_of(board: Known, ports: Sequence[Port]) -> list[Port]:
    """Those that may be this board, by what its board.toml says of its USB."""
    return [port for port in ports if port.usb in {usb.lower() for usb in board.usb}]


def ask(port: str) -> Answer:
    """Sends INFO to a port, up to twice."""
    try:
        with Board.connect(port, attempts=_ATTEMPTS) as client:
            info, raw = client.info(), client.raw_info
    except GradmoteError as error:
        return Answer(port, problem=error.message)
    model = info.model_id.hex() if info.status == 0 else status_text(info.status)
    return Answer(port, info.name, info.version, info.profile, model, raw["unique_id"])


def status_text(status: int) -> str:
    """What a negative status of an image means."""
    _, text, _ = FAULTS.get(status) or ERRORS.get(status) or ("", f"error {status}", "")
    return text
