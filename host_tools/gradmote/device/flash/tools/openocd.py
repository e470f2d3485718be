"""The tool OpenOCD, through an ST-Link, a J-Link or a CMSIS-DAP probe.

Setting: its configuration file for the board.
"""

from gradmote.device.toolchains.system_packages import how_to_install

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    """Return the command that writes and verifies the firmware, and resets the part."""
    return [["openocd", "-f", job.setting, "-c", f"program {{{job.file}}} verify reset exit"]]


TOOL = Tool("openocd", how_to_install("openocd"), "hex", commands)
