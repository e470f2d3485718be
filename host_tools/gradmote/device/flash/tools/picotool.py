"""picotool, over the USB of an RP2040 or RP2350, which it takes into its boot loader where the firmware allows that.

Setting: the number of its UF2 family.
"""

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    return [["picotool", "load", "--verify", "--execute", str(job.file), "--force"]]


TOOL = Tool("picotool", "https://github.com/raspberrypi/picotool/releases", "uf2", commands, finds_boot_loader=True)
