"""A board's firmware that only measures the micro-kernels (micro/main.c)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....device.toolchains.find import toolchain_for
from ....device.toolchains.toolchain import Toolchain, steps_of
from ....errors import DeviceError
from ....sources.parts import build_module, origin
from .cores import core_called

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
