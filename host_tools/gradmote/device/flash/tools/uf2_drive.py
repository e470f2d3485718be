"""A copy to the drive that a board shows while it is in its boot loader.

Setting: the number of its UF2 family.
"""

import glob
import time
from pathlib import Path

from gradmote.errors import DeviceError
from gradmote.formats.files import copy_part

from .tool import Command, Job, Tool

#: The folders in which operating systems mount drives.
MOUNTS = ["/media/*/*", "/run/media/*/*", "/Volumes/*"]
#: Every drive of a UF2 boot loader has this file.
MARK = "INFO_UF2.TXT"

_RESTART_SECONDS = 3.0


def copy(job: Job) -> None:
    """Copy the firmware to the drive; raise DeviceError if there is not exactly one."""
    drives = [Path(mark).parent for mount in MOUNTS for mark in glob.glob(f"{mount}/{MARK}")]
    if len(drives) != 1:
        raise DeviceError(
            f"{len(drives)} drives are those of a UF2 boot loader, one is needed",
            "hold the board's BOOT button while you plug it in; its drive must be mounted",
        )
    copy_part(job.file, drives[0] / job.file.name)
    time.sleep(_RESTART_SECONDS)  # the board restarts by itself after the last block


def commands(job: Job) -> list[Command]:
    """Return no commands: copy() does the work."""
    return []


TOOL = Tool("", "", "uf2", commands, copy, finds_boot_loader=True)
