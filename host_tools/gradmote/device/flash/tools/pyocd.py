"""The tool pyOCD, through a CMSIS-DAP probe or an ST-Link. It resets the part at the end.

Setting: its name for the target.
"""

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    """Return the command that writes the firmware."""
    return [["pyocd", "flash", "--no-wait", "--target", job.setting, str(job.file)]]


TOOL = Tool("pyocd", "pip install pyocd", "hex", commands)
