"""Real parts: their port, the tool that programs them, and the connection afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gradmote.device.boards import Board
from gradmote.device.client import Client
from gradmote.device.link import open_link
from gradmote.device.ports import Port, ask, ports_of, serial_ports
from gradmote.errors import DeviceError
from gradmote.formats.files import write_atomically

from .elf import Segment, read_segments
from .formats import flat_binary, intel_hex, uf2
from .processes import run_tool
from .tools import TOOLS, Job, find

#: A callback that gets each line that a tool prints.
Tell = Callable[[str], None]

#: How long a USB port may be gone while the part restarts.
_RESTART_SECONDS = 15.0
_RETRY_SECONDS = 0.5


def choose_port(board: Board, given: str | None, ports: Sequence[Port], optional: bool = False) -> str:
    """Return the given port, or the only one that may be this board's.

    Returns "" if there is none yet and `optional`. Raises DeviceError if there is none, or more
    than one.
    """
    if given:
        return given
    found = ports_of(board, ports)
    if len(found) == 1:
        return found[0].device
    if not found and optional:
        return ""
    if found:
        rows = "".join(f"\n  {port.device}  {port.usb}  {port.description}" for port in found)
        raise DeviceError(f"{len(found)} ports may be {board.name}:{rows}", "choose one: --port")
    there = "".join(f"\n  {port.device}  {port.usb}  {port.description}" for port in ports) or " none"
    raise DeviceError(
        f"no port is that of {board.name} ({', '.join(board.usb) or 'its USB ids are not known'}); there are:{there}",
        "is it plugged in, with a cable that carries data, and powered? or give the port: --port",
    )


def require_same_board(board: Board, port: str) -> None:
    """Refuse a port that cannot be opened, or whose part runs another board's firmware.

    Call this before erasing anything on the part.
    """
    open_link(port).close()
    there = ask(port).board
    if there and there != board.name:
        raise DeviceError(
            f"the board at {port} is {there}, not {board.name}", f"flash it as what it is: --board {there}; or --force"
        )


def program(
    elf: Path,
    board: Board,
    tool_name: str,
    port: str,
    image: bytes | None = None,
    tell: Tell = lambda line: None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Program and verify the firmware, and restart the part.

    Raises DeviceError with the tool's last lines if it fails.

    Args:
        elf: The firmware, or the project's folder for a tool that builds what it programs.
        board: The kind of part.
        tool_name: The tool, a key of TOOLS.
        port: The part's serial port; "" if it has none yet.
        image: The .mote image. It is programmed too if the tool takes more than an ELF file and
            the board's image has a fixed address.
        tell: Called with each line that the tool prints.
        environment: Variables for the tool.
    """
    tool = TOOLS[tool_name]
    job = _job(elf, board, tool_name, image, port)
    tool.prepare(job)
    for command in tool.commands(job):
        program_path = find(command[0]) or command[0]
        run_tool(
            [program_path, *command[1:]], f"{board.name} was not programmed",
            "see what the tool says; the firmware may be half written: flash again", None, tell, environment,
        )  # fmt: skip


def _job(elf: Path, board: Board, tool_name: str, image: bytes | None, port: str) -> Job:
    tool, setting = TOOLS[tool_name], board.upload[tool_name]
    if tool.format in ("source", "elf"):
        return Job(elf, 0, setting, port)
    segments = read_segments(elf)
    if image is not None and board.image_address:
        segments.append(Segment(board.image_address, image))
    contents = {"bin": flat_binary, "hex": intel_hex, "uf2": lambda parts: uf2(parts, int(setting, 0))}
    file = elf.with_suffix(f".{tool.format}")
    write_atomically(file, contents[tool.format](segments))
    return Job(file, segments[0].address, setting, port)


def connect(board: Board, port: str) -> Client:
    """Return a client of the part that is restarting.

    port: "" if the part only gets one now.
    """
    deadline = time.monotonic() + _RESTART_SECONDS
    while True:
        try:
            return Client.connect(choose_port(board, port, serial_ports()))
        except DeviceError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)
