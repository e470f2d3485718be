"""The tool teensy_loader_cli, over the USB of a Teensy, which it restarts into its boot loader.

Setting: the microcontroller, such as TEENSY41.
"""

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    """Return the command that restarts the board into its boot loader and writes the firmware."""
    return [["teensy_loader_cli", f"--mcu={job.setting}", "-s", "-w", "-v", str(job.file)]]


TOOL = Tool("teensy_loader_cli", "apt-get install teensy-loader-cli", "hex", commands, finds_boot_loader=True)
