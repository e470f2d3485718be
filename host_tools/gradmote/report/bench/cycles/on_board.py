"""The micro-kernels on a board: build and program the firmware, and read what it prints.

The firmware only measures the micro-kernels (micro/main.c).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....device.boards import Board
from ....device.flash import emulated, real
from ....device.flash.tools import TOOLS, choose
from ....device.link import Link, open_link
from ....device.ports import serial_ports
from ....device.toolchains.find import toolchain_for
from ....device.toolchains.toolchain import Toolchain, steps_of
from ....errors import DeviceError
from ....sources.parts import build_module, origin
from .calibration import EMULATED, END, SECTION, Measured, calibrated, read_measured, timings_table
from .cores import core_called
from .costs import cycles_of_turn
from .disassembly import Program
from .timings import Core

# ---- The firmware ----------------------------------------------------------------------------------------------------

FOLDER = Path(__file__).with_name("micro")
SOURCES = ("main.c", "kernels.S")


def build_micro_firmware(name: str, folder: Path) -> Path:
    """Build a board's firmware.elf in an existing folder, and return its path.

    Raises DeviceError if the compiler is missing or fails, and for boards whose core has no
    micro-kernels, or that only PlatformIO can build.
    """
    toolchain = toolchain_for(board_with_kernels(name))
    elf = folder / "firmware.elf"
    objects = toolchain.compile_all(steps_of(toolchain, _sources(toolchain), origin()), origin(), folder)
    toolchain.link(objects, toolchain.board.link_flags(), elf)
    return elf


def board_with_kernels(name: str) -> Any:
    """Return the board described by its board.toml. Raises DeviceError if it has no micro-kernels."""
    found = next((board for board in build_module("boards").boards() if board.name == name), None)
    if found is None:
        raise DeviceError(f"there is no board {name}", "gradmote boards lists them")
    if not found.compiler or core_called(found.table["core"]) is None:
        raise DeviceError(
            f"{name} ({found.table['core']}) has no firmware of micro-kernels",
            "it is for boards with a Cortex-M whose firmware GCC builds, such as nucleo-f446re",
        )
    return found


def _sources(toolchain: Toolchain) -> list[tuple[Path, Path, list[str]]]:
    """Return (source, object, flags) for everything in the firmware."""
    board, tools = toolchain.board, build_module("boards")
    defines = [f"-D{key}={value}" for key, value in board.defines().items()]
    flags = [*board.flags(), *defines, *(f"-I{path}" for path in board.includes())]
    fault = tools.FIRMWARE / "src" / "device" / "fault.c"
    sources = [*(FOLDER / source for source in SOURCES), fault, *board.own_sources()]
    return [(path, Path(str(index)) / f"{path.stem}.o", flags) for index, path in enumerate(sources)]


# ---- The board -------------------------------------------------------------------------------------------------------

#: How long a board may take to print all figures.
_SECONDS = 60.0
#: How long a USB port may be gone while the part restarts.
_RESTART_SECONDS = 15.0
_RETRY_SECONDS = 0.5


@dataclass(frozen=True)
class Request:
    """The board to measure on.

    Attributes:
        board: The kind of board.
        port: The serial port of a real board; found by its USB ids by default.
        firmware: The ELF file of the micro-kernels; None to build it.
        emulated: Whether to use the emulated board, whose figures are meaningless.
        tool: The programming tool; by default the first installed one.
    """

    board: Board
    port: str | None = None
    firmware: Path | None = None
    emulated: bool = False
    tool: str | None = None


@dataclass(frozen=True)
class Compared:
    """The measured cycles next to those of the model.

    Attributes:
        measured: The figures that the board printed.
        text: The same, as lines of the core's table.
        turns: For each kernel the cycles of a turn, measured and from the published timings.
        timings: The derived entries of the core's table; "" for an emulated board.
        emulated: Whether the board was emulated.
    """

    measured: Measured
    text: str
    turns: dict[str, tuple[float, float]]
    timings: str
    emulated: bool


def measure(request: Request, stage: Callable[[str], None] = lambda text: None) -> Compared:
    """Measure the micro-kernels on a board, and compare them with the model.

    Args:
        request: The board.
        stage: Called with the name of each stage as it begins.

    Raises DeviceError if the board, a tool or the compiler is missing, or the board does not answer in
    time, and DataError if it prints anything else.
    """
    name = request.board.name
    board_with_kernels(name)
    is_emulated = request.emulated or not request.board.upload
    if not is_emulated:
        _tool(request)
    with tempfile.TemporaryDirectory(prefix="gradmote-") as folder:
        stage(f"build the micro-kernels for {name}")
        elf = request.firmware or build_micro_firmware(name, Path(folder))
        stage(f"program {name}, and measure")
        with _emulated_link(request, elf) if is_emulated else _real_link(request, elf) as link:
            text = read_section(link)
        return compared(request.board, elf, text, is_emulated)


def compared(board: Board, elf: Path, text: str, is_emulated: bool) -> Compared:
    """Return a board's output next to the model, with the derived timings."""
    measured, core = read_measured(text), _core(board)
    if is_emulated:
        return Compared(measured, f"{text}{EMULATED} = true\n", turns(board, elf, measured), "", True)
    return Compared(measured, text, turns(board, elf, measured), timings_table(calibrated(core, measured)), False)


def read_section(link: Link, seconds: float = _SECONDS) -> str:
    """Return the next complete section [measured] that a board prints, without its end mark.

    Raises DeviceError if none arrives in `seconds` seconds.
    """
    text, deadline = "", time.monotonic() + seconds
    while time.monotonic() < deadline:
        text += link.read(1.0).decode("ascii", "replace")
        _, begin, section = text.partition(SECTION)
        if begin and END in section:
            return begin + section.partition(END)[0].replace("\r", "")
    hint = "does the part run the firmware of the micro-kernels? give its port: --port"
    raise DeviceError(f"{link.url} printed no measured cycles in {seconds:.0f} s", hint)


def turns(board: Board, elf: Path, measured: Measured) -> dict[str, tuple[float, float]]:
    """Return for each kernel the cycles of a turn: measured, and from the published timings."""
    core = _core(board)
    toolchain = toolchain_for(board_with_kernels(board.name))
    program = Program(elf, f"{toolchain.board.compiler}objdump", core.architecture)
    return {
        kernel: (measured.turn(kernel), cycles_of_turn(core, program.code, program.address_of(f"micro_{kernel}")))
        for kernel in measured.cycles
    }


def _core(board: Board) -> Core:
    core = core_called(board.core)
    assert core is not None  # board_with_kernels() has checked
    return core


@contextmanager
def _emulated_link(request: Request, elf: Path) -> Iterator[Link]:
    """Yield the serial line of an emulated part with the firmware, and then stop the part."""
    part = emulated.program(elf, request.board)
    try:
        link = open_link(part.url)
        try:
            yield link
        finally:
            link.close()
    finally:
        emulated.stop(request.board.name)


@contextmanager
def _real_link(request: Request, elf: Path) -> Iterator[Link]:
    """Yield the serial line of a real part after programming the firmware."""
    board, tool = request.board, _tool(request)
    port = real.choose_port(board, request.port, serial_ports(), TOOLS[tool].finds_boot_loader)
    real.program(elf, board, tool, port)
    link = _opened(board, port)
    try:
        yield link
    finally:
        link.close()


def _tool(request: Request) -> str:
    """Return the name of the tool that programs the part. Raises DeviceError if there is none."""
    board = request.board
    tool = choose(board.name, board.upload, request.tool)
    if TOOLS[tool].format == "source":
        hint = f"choose another of its tools: --tool; it has {', '.join(board.upload)}"
        raise DeviceError(f"{tool} programs what it builds, and not the micro-kernels", hint)
    return tool


def _opened(board: Board, port: str) -> Link:
    """Return the line of a part that is restarting; its port may be gone for a while."""
    deadline = time.monotonic() + _RESTART_SECONDS
    while True:
        try:
            return open_link(real.choose_port(board, port, serial_ports()))
        except DeviceError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)
