"""Emulated parts, programmed like real ones, that continue to run in the background.

A part starts halted with blank memory. The debugger's port programs and verifies the firmware, then
resets and starts the part. Its serial line is a TCP port of the host until stop(), or until the board
is programmed again.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from gradmote.device.boards import Board
from gradmote.device.emulator import emulator_command, keep_on_one_cpu
from gradmote.device.listening import Listening, start_emulator
from gradmote.errors import DeviceError
from gradmote.formats.files import build_folder, make_folder, write_atomically

from .elf import Segment, read_segments
from .gdb import Gdb
from .processes import end, pid_in

#: A callback that gets (bytes done, all bytes).
Progress = Callable[[int, int], None]

_STOP_SECONDS = 5.0


@dataclass(frozen=True)
class Running:
    """An emulated board running in the background.

    Attributes:
        board: Its name.
        url: The address of its serial line.
        pid: The emulator's process id.
        debugger: The TCP port of its debugger.
        firmware: The ELF file that it runs.
    """

    board: str
    url: str
    pid: int
    debugger: int
    firmware: str


def program(
    elf: Path,
    board: Board,
    image: bytes | None = None,
    serial_port: int | None = None,
    progress: Progress = lambda done, total: None,
) -> Running:
    """Program a new emulated part with the firmware, and with the image in its area; start it.

    Replaces a running part of the same kind, and keeps its port. Raises DeviceError if anything
    fails, and then leaves nothing running.

    Args:
        elf: The firmware.
        board: The kind of part.
        image: The .mote image; None for the firmware alone.
        serial_port: The TCP port for its serial line; by default the replaced part's, or a free
            one.
        progress: Called with (bytes done, all bytes), which count both writing and verifying.
    """
    segments = read_segments(elf)
    if image is not None:
        segments.append(Segment(board.image_address, image))
    port = serial_port or _port_in_use(board.name) or 0
    stop(board.name)
    try:
        part, debugger = _start(board, elf, _listening(port))
        _program(debugger, segments, progress)
        write_atomically(_state_file(board.name), json.dumps(asdict(part)).encode())
    except BaseException:
        stop(board.name)
        raise
    return part


def _program(gdb: Gdb, segments: list[Segment], progress: Progress) -> None:
    total = 2 * sum(len(segment.data) for segment in segments)
    done = 0
    for work in (gdb.write, _verifier(gdb)):
        for segment in segments:
            work(segment.address, segment.data)
            done += len(segment.data)
            progress(done, total)
    gdb.monitor("system_reset")
    gdb.detach()


def _verifier(gdb: Gdb) -> Callable[[int, bytes], None]:
    def verify(address: int, data: bytes) -> None:
        if gdb.read(address, len(data)) != data:
            raise DeviceError(
                f"the memory at {address:#x} does not hold what was written to it",
                "is the firmware linked for this board?",
            )

    return verify


# ---- Processes -----------------------------------------------------------------------------------------------------


def running(name: str) -> Running | None:
    """Return the emulated board of this name left running by program(), or None."""
    if _pid(name) is None or not _state_file(name).exists():
        return None
    return Running(**json.loads(_state_file(name).read_text()))


def _port_in_use(name: str) -> int | None:
    part = running(name)
    return int(part.url.rpartition(":")[2]) if part else None


def stop(name: str) -> bool:
    """Stop the emulated board of this name; return False if none was running.

    The boards of other checkouts keep running.
    """
    pid = _pid(name)
    _state_file(name).unlink(missing_ok=True)
    if pid is None:
        return False
    for at_once in (False, True):
        end(pid, at_once)
        if _ended(name):
            return True
    raise DeviceError(f"the emulated {name} (process {pid}) does not end", f"end it: kill -9 {pid}")


def _ended(name: str) -> bool:
    deadline = time.monotonic() + _STOP_SECONDS
    while _pid(name) is not None:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _pid(name: str) -> int | None:
    """Return the process id of a board's emulator, or None if it is not running."""
    return pid_in(_pid_file(name))


def _listening(port: int) -> Listening:
    try:
        return Listening(port)
    except OSError as error:
        raise DeviceError(f"port {port} is in use ({error})", "give its serial line another --port") from error


def _start(board: Board, elf: Path, line: Listening) -> tuple[Running, Gdb]:
    """Start an emulator, halted before the first instruction, and connect to its debugger's port."""
    debugger = Listening()
    make_folder(_folder())
    command = [*emulator_command(board), "-S", *debugger.options("debugger"), "-gdb", "chardev:debugger"]
    command += [*line.options("line"), "-serial", "chardev:line", "-display", "none", "-monitor", "none"]
    command += ["-pidfile", str(_pid_file(board.name))]
    log = _folder() / f"{board.name}.log"
    with log.open("wb") as messages:
        process = start_emulator(command, [line, debugger], stdout=messages, stderr=messages, start_new_session=True)
    keep_on_one_cpu(process.pid)
    line.close()
    part = Running(board.name, line.url, process.pid, debugger.port, str(elf))
    return part, debugger.client(lambda: Gdb(debugger.port, timeout=0.0), lambda: _check_alive(process, log))


def _check_alive(process: subprocess.Popen[bytes], log: Path) -> None:
    if process.poll() is not None:
        message = log.read_text(errors="replace").partition("\n")[0] or "no message"
        raise DeviceError(f"the emulator stopped at once ({message})", f"what it said is in {log}")


def _folder() -> Path:
    return build_folder() / "emulated"


def _pid_file(name: str) -> Path:
    return _folder() / f"{name}.pid"


def _state_file(name: str) -> Path:
    return _folder() / f"{name}.json"
