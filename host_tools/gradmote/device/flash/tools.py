"""The tools that program real parts: the types that all share, each tool, and the table of them.

board.toml names the tools for a board. Its entry for a tool is the tool's setting, a text that each tool reads in its
own way.
"""

from __future__ import annotations

import glob
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import DeviceError
from ...formats.files import copy_part
from ..toolchains.system_packages import how_to_install

Command = list[str]


@dataclass(frozen=True)
class Job:
    """A firmware to program.

    Attributes:
        file: The firmware, in the tool's own format.
        address: The address of its first byte.
        setting: The tool's entry in board.toml.
        port: The serial port of the board; "" if it has none yet.
    """

    file: Path
    address: int
    setting: str
    port: str


def _nothing(job: Job) -> None:
    """Do nothing: most tools need no preparation."""


@dataclass(frozen=True)
class Tool:
    """A way to program parts.

    Attributes:
        program: The program that must be installed; "" if it needs none.
        install: The command that installs it, or its address.
        format: The format of Job.file, "elf", "bin", "hex" or "uf2"; or "source" if the tool
            builds what it programs.
        commands: Return the commands to run in order; each must end with status 0.
        prepare: Called before the commands.
        finds_boot_loader: Whether it finds the part on USB, since a part without firmware has no
            serial port.
    """

    program: str
    install: str
    format: str
    commands: Callable[[Job], list[Command]]
    prepare: Callable[[Job], None] = _nothing
    finds_boot_loader: bool = False


# ---- OpenOCD, through an ST-Link, a J-Link or a CMSIS-DAP probe ------------------------------------------------------
# Setting: its configuration file for the board.


def openocd_commands(job: Job) -> list[Command]:
    """Return the command that writes and verifies the firmware, and resets the part."""
    return [["openocd", "-f", job.setting, "-c", f"program {{{job.file}}} verify reset exit"]]


# ---- pyOCD, through a CMSIS-DAP probe or an ST-Link ------------------------------------------------------------------
# It resets the part at the end. Setting: its name for the target.


def pyocd_commands(job: Job) -> list[Command]:
    """Return the command that writes the firmware."""
    return [["pyocd", "flash", "--no-wait", "--target", job.setting, str(job.file)]]


# ---- st-flash, through the ST-Link of ST's own boards ----------------------------------------------------------------
# It verifies what it wrote. It reads no setting.


def st_flash_commands(job: Job) -> list[Command]:
    """Return the command that writes the firmware and resets the part."""
    return [["st-flash", "--reset", "write", str(job.file), f"{job.address:#x}"]]


# ---- dfu-util, for a part whose boot loader waits on USB -------------------------------------------------------------
# Setting: the part's VID:PID in that state.


def dfu_util_commands(job: Job) -> list[Command]:
    """Return the command that writes the firmware and leaves the boot loader."""
    where = f"{job.address:#x}:leave"
    return [["dfu-util", "--device", job.setting, "--alt", "0", "--dfuse-address", where, "--download", str(job.file)]]


# ---- esptool, over the serial port of an ESP32 -----------------------------------------------------------------------
# It verifies what it wrote. Setting: its name for the chip. Boot loader and partition table stay as they are;
# `pio run -t upload` writes them too.

#: The address of the first application in the usual partition table.
_APPLICATION = "0x10000"


def esptool_commands(job: Job) -> list[Command]:
    """Return the commands that convert the ELF file and write it."""
    converted = str(job.file.with_suffix(".esp.bin"))
    chip = ["esptool", "--chip", job.setting]
    return [
        [*chip, "elf2image", "--output", converted, str(job.file)],
        [*chip, "--port", job.port, "write_flash", _APPLICATION, converted],
    ]


# ---- picotool, over the USB of an RP2040 or RP2350 -------------------------------------------------------------------
# It restarts the part into its boot loader if the firmware allows that. Setting: the number of the part's UF2 family.


def picotool_commands(job: Job) -> list[Command]:
    """Return the command that writes and verifies the firmware, and starts it."""
    return [["picotool", "load", "--verify", "--execute", str(job.file), "--force"]]


# ---- A copy to the drive that a board shows while it is in its boot loader -------------------------------------------
# Setting: the number of its UF2 family.

#: The folders in which operating systems mount drives.
MOUNTS = ["/media/*/*", "/run/media/*/*", "/Volumes/*"]
#: Every drive of a UF2 boot loader has this file.
UF2_MARK = "INFO_UF2.TXT"

_UF2_RESTART_SECONDS = 3.0


def copy_to_uf2_drive(job: Job) -> None:
    """Copy the firmware to the drive; raise DeviceError if there is not exactly one."""
    drives = [Path(mark).parent for mount in MOUNTS for mark in glob.glob(f"{mount}/{UF2_MARK}")]
    if len(drives) != 1:
        raise DeviceError(
            f"{len(drives)} drives are those of a UF2 boot loader, one is needed",
            "hold the board's BOOT button while you plug it in; its drive must be mounted",
        )
    copy_part(job.file, drives[0] / job.file.name)
    time.sleep(_UF2_RESTART_SECONDS)  # the board restarts by itself after the last block


def uf2_commands(job: Job) -> list[Command]:
    """Return no commands: copy_to_uf2_drive() does the work."""
    return []


# ---- teensy_loader_cli, over the USB of a Teensy, which it restarts into its boot loader -----------------------------
# Setting: the microcontroller, for example TEENSY41.


def teensy_commands(job: Job) -> list[Command]:
    """Return the command that restarts the board into its boot loader and writes the firmware."""
    return [["teensy_loader_cli", f"--mcu={job.setting}", "-s", "-w", "-v", str(job.file)]]


# ---- bossac, for the boot loader of Arduino's Nano 33 BLE and others -------------------------------------------------
# Opening the board's port at 1200 baud starts the boot loader. It reads no setting.

_BOSSAC_BOOT_SECONDS = 2.0


def touch_at_1200_baud(job: Job) -> None:
    """Restart the board into its boot loader."""
    import serial

    try:
        serial.Serial(job.port, 1200).close()
    except OSError as error:
        raise DeviceError(
            f"cannot open {job.port} ({error})", "press the board's reset button twice and flash again"
        ) from error
    time.sleep(_BOSSAC_BOOT_SECONDS)


def bossac_commands(job: Job) -> list[Command]:
    """Return the command that writes and verifies the firmware, and resets the board."""
    options = ["--info", "--usb-port", "--erase", "--write", "--verify", "--reset"]
    return [["bossac", f"--port={job.port}", *options, str(job.file)]]


# ---- PlatformIO, for boards whose compiler and libraries it provides -------------------------------------------------
# Setting: the environment of platformio.ini.


def platformio_commands(job: Job) -> list[Command]:
    """Return the command that builds and uploads the firmware."""
    project = ["--project-dir", str(job.file), "--environment", job.setting]
    port = ["--upload-port", job.port] if job.port else []
    return [["pio", "run", *project, "--target", "upload", *port]]


# ---- The table of tools, and the choice of one -----------------------------------------------------------------------

#: The tools by their names in board.toml.
TOOLS: dict[str, Tool] = {
    "openocd": Tool("openocd", how_to_install("openocd"), "hex", openocd_commands),
    "pyocd": Tool("pyocd", "pip install pyocd", "hex", pyocd_commands),
    "st-flash": Tool("st-flash", how_to_install("st-flash"), "bin", st_flash_commands),
    "dfu-util": Tool("dfu-util", how_to_install("dfu-util"), "bin", dfu_util_commands, finds_boot_loader=True),
    "esptool": Tool("esptool", "pip install esptool", "elf", esptool_commands),
    "picotool": Tool(
        "picotool", "https://github.com/raspberrypi/picotool/releases", "uf2", picotool_commands, finds_boot_loader=True
    ),
    "uf2": Tool("", "", "uf2", uf2_commands, copy_to_uf2_drive, finds_boot_loader=True),
    "teensy": Tool(
        "teensy_loader_cli", how_to_install("teensy_loader_cli"), "hex", teensy_commands, finds_boot_loader=True
    ),
    "bossac": Tool("bossac", how_to_install("bossac"), "bin", bossac_commands, touch_at_1200_baud),
    "platformio": Tool("pio", "pip install platformio", "source", platformio_commands, finds_boot_loader=True),
}


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
