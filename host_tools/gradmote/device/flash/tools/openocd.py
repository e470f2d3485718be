"""OpenOCD, through an ST-Link, a J-Link or a CMSIS-DAP probe. Setting: its configuration of the board."""

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    return [["openocd", "-f", job.setting, "-c", f"program {{{job.file}}} verify reset exit"]]


TOOL = Tool("openocd", "apt-get install openocd", "hex", commands)
