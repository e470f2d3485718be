"""An emulated board: QEMU with the firmware, and its serial line on a free TCP port of the host."""

from __future__ import annotations

import atexit
import os
import subprocess
import tempfile
from pathlib import Path

from gradmote.device.boards import Board, board
from gradmote.errors import DeviceError
from gradmote.formats.files import write_part

from .client import Client
from .emulated_firmware import firmware_for, require_firmware
from .flash.watch import Watch
from .link import Link, open_link
from .listening import Listening, start_emulator
from .toolchains.system_packages import how_to_install, program_path

#: With `icount` each instruction of any core advances the emulator's time by this much, and with it
#: the clock that board_ticks() reads: a timer, the SSE-300's system counter, or RISC-V's mtime.
#: Metrics.seconds divided by this is the number of machine instructions, to within one for every 8
#: image instructions.
SECONDS_PER_INSTRUCTION = 2**7 * 1e-9

_STOP_SECONDS = 5.0


def missing(name: str, elf: Path | str | None = None) -> str:
    """Return why a board cannot be emulated and what to do about it; "" if it can be.

    Raises DeviceError if the board does not exist.
    """
    known = board(name)
    try:
        emulator_command(known)
        require_firmware(name, elf)
    except DeviceError as error:
        return str(error)
    return ""


class Emulator:
    """An emulated board that runs until stop(), the end of a `with`, or the end of this process.

    Args:
        name: The board.
        elf: The firmware; by default that of firmware_for(), built if it is missing.
        icount: Whether every instruction takes SECONDS_PER_INSTRUCTION, so that the board's clock
            counts instructions.
        image: A .mote image, or its file, for the board's flash at the start.
        watch: Gets the progress of building the firmware.
        apart: Whether to keep signals to the caller's process group, such as Ctrl-C at a terminal,
            away from the emulator. A signal must then not end the caller before stop().
    """

    def __init__(
        self,
        name: str = "mps2-an386",
        elf: Path | str | None = None,
        icount: bool = False,
        image: bytes | Path | None = None,
        apart: bool = False,
        watch: Watch | None = None,
    ) -> None:
        """Start the emulator and connect to its serial line.

        Raises DeviceError if it, or what builds the firmware, is missing or does not start, and
        ModelError if the image does not fit.
        """
        known = board(name)
        self.command = emulator_command(known)
        self._link: Link | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        firmware = firmware_for(name, elf, image, watch)
        port = Listening()
        self.url = port.url
        atexit.register(self.stop)
        try:
            if image is not None:
                self.command += _in_flash(known, self._file_of(image))
            self._start(firmware, port, icount, apart)
        except BaseException:
            self.stop()
            raise

    def _start(self, firmware: Path, port: Listening, icount: bool, apart: bool) -> None:
        command = [*self.command, "-kernel", str(firmware), "-display", "none", "-monitor", "none"]
        command += [*port.options("line", waits=True), "-serial", "chardev:line"]
        command += ["-icount", "shift=7"] if icount else []
        self._process = start_emulator(
            command, [port], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=apart
        )
        keep_on_one_cpu(self._process.pid)
        self._link = port.client(lambda: open_link(self.url), self._check_alive)

    def _file_of(self, image: bytes | Path) -> Path:
        """Return a file that lasts as long as the emulator, which reads it only after its start."""
        if isinstance(image, Path):
            return image
        self._folder = tempfile.TemporaryDirectory(prefix="gradmote-")
        path = Path(self._folder.name) / "model.mote"
        write_part(path, image)
        return path

    def _check_alive(self) -> None:
        process = self._process
        if process is None or process.poll() is None:
            return
        message = process.stderr.read().decode(errors="replace").strip() if process.stderr else ""
        raise DeviceError(f"the emulator stopped at once ({message or 'no message'})", f"try: {' '.join(self.command)}")

    def connect(self) -> Client:
        """Return a client of the board. The emulator serves one at a time."""
        return Client(self.take_link())

    def take_link(self) -> Link:
        """Return the serial line itself, for a terminal or a test of the text console."""
        self._check_alive()
        link, self._link = self._link or open_link(self.url), None
        return link

    @property
    def pid(self) -> int:
        """The process id of the emulator; raises DeviceError after stop()."""
        if self._process is None:
            raise DeviceError("the emulator is not running", "start another one")
        return self._process.pid

    def stop(self) -> None:
        """Stop the emulator. Stopping twice does no harm."""
        atexit.unregister(self.stop)
        process, self._process = self._process, None
        if process is not None:
            _end(process)
        if self._link is not None:
            self._link.close()
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> Emulator:
        """Return this emulator; leaving the `with` block stops it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Stop the emulator."""
        self.stop()


def keep_on_one_cpu(pid: int) -> None:
    """Keep a process on one CPU, which makes an emulator's serial line 2 to 4 times as fast.

    Two threads of the emulator hand over each byte of the line. Threads that the emulator starts
    after the line is connected inherit the CPU.
    """
    if hasattr(os, "sched_setaffinity"):
        cpus = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(pid, {cpus[pid % len(cpus)]})


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stderr is not None:
        process.stderr.close()


def emulator_command(board: Board) -> list[str]:
    """Return the command that starts a board.

    Raises DeviceError if no emulator exists for it, or the emulator is not installed.
    """
    if not board.emulator:
        raise DeviceError(f"nothing emulates {board.name}", "boards that are emulated: gradmote boards")
    program, *options = board.emulator
    path = program_path(program)
    if path is None:
        raise DeviceError(f"{program} is not installed", f"install it: {how_to_install(program)}")
    return [path, *options]


def _in_flash(board: Board, image: Path) -> list[str]:
    """Return the options that place a file at a board's image_address.

    Raises DeviceError if the file is too large.
    """
    size = image.stat().st_size
    if size > board.image_area:
        raise DeviceError(
            f"the image has {size:,} bytes, {board.name} room for {board.image_area:,}",
            f"what takes them: gradmote analyze model.mote --board {board.name}",
        )
    file = str(image).replace(",", ",,")
    return ["-device", f"loader,file={file},addr={board.image_address:#x},force-raw=on"]
