"""pyOCD, through a CMSIS-DAP probe or an ST-Link. Setting: its name of the target. It resets the part at the end."""

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    return [["pyocd", "flash", "--no-wait", "--target", job.setting, str(job.file)]]


TOOL = Tool("pyocd", "pip install pyocd", "hex", commands)
