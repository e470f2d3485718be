"""The environment of a board in PlatformIO, for a project with its own copy of the firmware.

It comes from firmware/platformio.ini, which the project has in gradmote/firmware.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Sequence
from pathlib import Path

from ..device.boards import Board
from ..device.toolchains.system_packages import how_to_install
from ..errors import DeviceError

#: Options that only make sense in firmware/: a project compiles its own src.
_FIRMWARE_ALONE = ("extends", "build_src_filter", "lib_ldf_mode", "test_framework")

_ALL_KERNELS = """\
; A smaller program, for this model alone: put here what `gradmote kernels --flags model.mote` prints.
;build_flags ="""
_OWN_KERNELS = """\
; All kernels do not fit this board. Those of model.mote, as `gradmote kernels --flags model.mote` prints them:
build_flags ="""
_FOR_ANOTHER = "\n  The firmware has only this model's kernels: another's go into `build_flags` of `platformio.ini`."

#: Emulator -> the compiler of its boards' firmware.
_COMPILERS = {"qemu-system-arm": "arm-none-eabi-gcc", "qemu-system-riscv32": "riscv64-unknown-elf-gcc"}

_BARE = "The board's compiler is on your PATH: `{}`. Its port: `gradmote ports`."
_EMULATED = "The board is emulated: `pio run -t stop` ends it, and discards what it learned."
_REAL = "PlatformIO fetches the board's compiler on the first build. Its port: `gradmote ports`."


def environment(board: Board, sources: Path, kernels: Sequence[str]) -> dict[str, str]:
    """Return the values of the templates' placeholders that depend on the board.

    `sources` is the project's copy of this repository. `kernels` are the compiler's flags of the model's
    kernels if the firmware has no others. Raises DeviceError.
    """
    options = options_of(board.name, sources / "firmware" / "platformio.ini")
    flags = [*options.pop("build_flags", "").split(), *kernels] if kernels else []
    lines = (f"{name} = {value}" for name, value in options.items() if name not in _FIRMWARE_ALONE)
    return {
        "name": board.name,
        "title": board.title,
        "options": "\n".join(from_project(line) for line in lines),
        "flags": " ".join([_OWN_KERNELS, *flags]) if kernels else _ALL_KERNELS,
        "another": _FOR_ANOTHER if kernels else "",
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
