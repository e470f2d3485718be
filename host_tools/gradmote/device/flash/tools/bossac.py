"""The tool bossac, for the boot loader of Arduino's Nano 33 BLE and others.

Opening the board's port at 1200 baud starts the boot loader.
"""

import time

from gradmote.device.toolchains.system_packages import how_to_install
from gradmote.errors import DeviceError

from .tool import Command, Job, Tool

_BOOT_SECONDS = 2.0


def touch(job: Job) -> None:
    """Restart the board into its boot loader."""
    import serial

    try:
        serial.Serial(job.port, 1200).close()
    except OSError as error:
        raise DeviceError(
            f"cannot open {job.port} ({error})", "press the board's reset button twice and flash again"
        ) from error
    time.sleep(_BOOT_SECONDS)


def commands(job: Job) -> list[Command]:
    """Return the command that writes and verifies the firmware, and resets the board."""
    options = ["--info", "--usb-port", "--erase", "--write", "--verify", "--reset"]
    return [["bossac", f"--port={job.port}", *options, str(job.file)]]


TOOL = Tool("bossac", how_to_install("bossac"), "bin", commands, touch)
