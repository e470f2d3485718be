"""The environment of a board in PlatformIO, as firmware/platformio.ini has it, for a project that has the firmware in
gradmote/firmware."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

from ..device.boards import Board
from ..device.emulator import COMPILERS, EMULATORS
from ..errors import DeviceError

#: Of firmware/ alone: a project compiles its own src.
_FIRMWARE_ALONE = ("extends", "build_src_filter", "lib_ldf_mode", "test_framework")

_BARE = f"The board's compiler is on your PATH: `{COMPILERS['qemu-system-arm']}`. Its port: `gradmote ports`."
_EMULATED = "The board is emulated: `pio run -t stop` ends it, and what it learnt."
_REAL = "PlatformIO fetches the board's compiler on the first build. Its port: `gradmote ports`."


def environment(board: Board, sources: Path) -> dict[str, str]:
    """Words for the templates. sources: the project's copy of this repository. Raises DeviceError."""
    options = options_of(board.name, sources / "firmware" / "platformio.ini")
    lines = (f"{name} = {value}" for name, value in options.items() if name not in _FIRMWARE_ALONE)
    return {
        "name": board.name,
        "title": board.title,
        "options": "\n".join(from_project(line) for line in lines),
        "port": options.get("monitor_port", "PORT"),
        "about": _EMULATED if board.emulator else _REAL if "framework" in options else _BARE,
        "needs": needs(board.emulator[0]) if board.emulator else "",
    }


def from_project(option: str) -> str:
    """With its paths, which are those in firmware/, as the project has them."""
    return re.sub(r"(\$\{PROJECT_DIR\}/|\b(?=boards/arduino/))", r"\1gradmote/firmware/", option)


def needs(emulator: str) -> str:
    """What an emulated board asks for."""
    return f" Emulator and compiler: `{EMULATORS[emulator]}`, `{COMPILERS[emulator]}`."


def options_of(name: str, ini: Path) -> dict[str, str]:
    """Of one environment, with what it extends."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ini)
    section = f"env:{name}"
    if not parser.has_section(section):
        raise DeviceError(f"{ini.name} has no environment for {name}", "boards with one: gradmote boards")
    found = dict(parser["env"])
    for part in (parser[section].get("extends"), section):
        found |= dict(parser[part]) if part else {}
    return found
