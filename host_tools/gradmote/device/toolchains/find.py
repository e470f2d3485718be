"""Chooses a toolchain for a board."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gradmote.errors import DeviceError

from .gnu import gnu_toolchain
from .system_packages import how_to_install
from .toolchain import Toolchain
from .zig import PACKAGE, zig_toolchain

#: The prefix of a compiler's tools -> PlatformIO's package with it.
_PLATFORMIO_PACKAGES = {"arm-none-eabi-": "toolchain-gccarmnoneeabi", "riscv64-unknown-elf-": "toolchain-riscv"}


def toolchain_for(board: Any) -> Toolchain:
    """Return the first toolchain that builds the firmware of a board.

    The order is GCC on PATH, PlatformIO's GCC, ziglang's clang. Raises DeviceError, with the
    command that installs one, if there is none.
    """
    if not board.compiler:
        hint = f"gradmote flash --board {board.name} --tool platformio"
        raise DeviceError(f"PlatformIO alone builds the firmware of {board.name}", hint)
    packages = _platformio_folders(_PLATFORMIO_PACKAGES[board.compiler])
    found = [gnu_toolchain(board, folder) for folder in (None, *packages)]
    chosen = next((toolchain for toolchain in found if toolchain), None) or zig_toolchain(board)
    if chosen is None:
        raise _not_installed(board)
    return chosen


def _platformio_folders(package: str) -> list[Path]:
    """Return the program folders of all versions of a package that PlatformIO installed."""
    core = Path(os.environ.get("PLATFORMIO_CORE_DIR") or Path.home() / ".platformio")
    packages = Path(os.environ.get("PLATFORMIO_PACKAGES_DIR") or core / "packages")
    return [path / "bin" for path in sorted(packages.glob(f"{package}*")) if (path / "bin").is_dir()]


def _not_installed(board: Any) -> DeviceError:
    compiler = f"{board.compiler}gcc"
    return DeviceError(
        f"{compiler} with its C library, which compiles the firmware of {board.name}, is not installed",
        f"install it: {how_to_install(compiler)}; or a compiler beside this Python: pip install {PACKAGE}",
    )
