"""The environment of a board in PlatformIO, for a project with its own copy of the firmware.

It comes from firmware/platformio.ini, which the project has in gradmote/firmware.
"""

from __future__ import annotations

import configparser
import re
from pathlib import Path

from ..device.boards import Board
from ..device.toolchains.system_packages import how_to_install
from ..errors import DeviceError

#: Options that only make sense in firmware/: a project compiles its own src.
_FIRMWARE_ALONE = ("extends", "build_src_filter", "lib_ldf_mode", "test_framework")

#: Emulator -> the compiler of its boards' firmware.
_COMPILERS = {"qemu-system-arm": "arm-none-eabi-gcc", "qemu-system-riscv32": "riscv64-unknown-elf-gcc"}

_BARE = "The board's compiler is on your PATH: `{}`. Its port: `gradmote ports`."
_EMULATED = "The board is emulated: `pio run -t stop` ends it, and discards what it learned."
_REAL = "PlatformIO fetches the board's compiler on the first build. Its port: `gradmote ports`."


def environment(board: Board, sources: Path) -> dict[str, str]:
    """Return the values of the templates' placeholders that depend on the board.

    `sources` is the project's copy of this repository. Raises DeviceError.
    """
    options = options_of(board.name, sources / "firmware" / "platformio.ini")
    lines = (f"{name} = {value}" for name, value in options.items() if name not in _FIRMWARE_ALONE)
    return {
        "name": board.name,
        "title": board.title,
        "options": "\n".join(from_project(line) for line in lines),
        "port": options.get("monitor_port", "PORT"),
        "about": about(board, "framework" in options),
        "needs": needs(board.emulator[0]) if board.emulator else "",
    }


def from_project(option: str) -> str:
    """Return an option with its paths, which are relative to firmware/, made relative to the project."""
    return re.sub(r"(\$\{PROJECT_DIR\}/|\b(?=boards/arduino/))", r"\1gradmote/firmware/", option)


def about(board: Board, has_framework: bool) -> str:
    """Return a sentence about an emulated or a real board, its compiler and its port."""
    if board.emulator:
        return _EMULATED
    return _REAL if has_framework else _BARE.format(how_to_install("arm-none-eabi-gcc"))


def needs(emulator: str) -> str:
    """Return a sentence on the packages that an emulated board needs."""
    return f" Emulator and compiler: `{how_to_install(emulator)}`, `{how_to_install(_COMPILERS[emulator])}`."


def options_of(name: str, ini: Path) -> dict[str, str]:
    """Return the options of one environment, including those that it extends. Raises DeviceError."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ini)
    section = f"env:{name}"
    if not parser.has_section(section):
        raise DeviceError(f"{ini.name} has no environment for {name}", "boards with one: gradmote boards")
    found = dict(parser["env"])
    for part in (parser[section].get("extends"), section):
        found |= dict(parser[part]) if part else {}
    return found
