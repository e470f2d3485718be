"""The tool teensy_loader_cli, over the USB of a Teensy, which it restarts into its boot loader.

Setting: the microcontroller, for example TEENSY41.
"""

from gradmote.device.toolchains.system_packages import how_to_install

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    """Return the command that restarts the board into its boot loader and writes the firmware."""
    return [["teensy_loader_cli", f"--mcu={job.setting}", "-s", "-w", "-v", str(job.file)]]


TOOL = Tool("teensy_loader_cli", how_to_install("teensy_loader_cli"), "hex", commands, finds_boot_loader=True)
