"""The tool picotool, over the USB of an RP2040 or RP2350.

It restarts the part into its boot loader if the firmware allows that. Setting: the number of the
part's UF2 family.
"""

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    """Return the command that writes and verifies the firmware, and starts it."""
    return [["picotool", "load", "--verify", "--execute", str(job.file), "--force"]]


TOOL = Tool("picotool", "https://github.com/raspberrypi/picotool/releases", "uf2", commands, finds_boot_loader=True)
