"""The tools that program real parts: one file for each, and this table.

board.toml names the tools for a board.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping

from gradmote.errors import DeviceError

from . import bossac, dfu_util, esptool, openocd, picotool, platformio, pyocd, st_flash, teensy, uf2_drive
from .tool import Job, Tool

#: The tools by their names in board.toml.
TOOLS: dict[str, Tool] = {
    "openocd": openocd.TOOL,
    "pyocd": pyocd.TOOL,
    "st-flash": st_flash.TOOL,
    "dfu-util": dfu_util.TOOL,
    "esptool": esptool.TOOL,
    "picotool": picotool.TOOL,
    "uf2": uf2_drive.TOOL,
    "teensy": teensy.TOOL,
    "bossac": bossac.TOOL,
    "platformio": platformio.TOOL,
}

__all__ = ["TOOLS", "Job", "Tool", "choose", "find"]


def choose(board: str, upload: Mapping[str, str], wanted: str | None = None) -> str:
    """Return the name of the first installed tool in a board's table, or the wanted one.

    Raises DeviceError, with how to install one, if there is none.
    """
    if wanted is not None and wanted not in upload:
        raise DeviceError(f"{wanted} does not program {board}", f"what does: {', '.join(upload) or 'nothing'}")
    upload = upload if wanted is None else {wanted: upload[wanted]}
    for name in upload:
        if name in TOOLS and (not TOOLS[name].program or find(TOOLS[name].program)):
            return name
    if not upload:
        raise DeviceError(f"nothing is known that programs {board}", "say it in its board.toml: upload = { ... }")
    ways = "; or ".join(f"{TOOLS[name].program}: {TOOLS[name].install}" for name in upload if name in TOOLS)
    raise DeviceError(f"no tool that programs {board} is installed", f"install one: {ways}")


def find(program: str) -> str | None:
    """Return the path of a program, on PATH or next to this Python; None if it is missing."""
    beside = os.path.dirname(sys.executable)
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", ""), beside]))
