"""The tool st-flash, through the ST-Link of ST's own boards. It verifies what it wrote."""

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    """Return the command that writes the firmware and resets the part."""
    return [["st-flash", "--reset", "write", str(job.file), f"{job.address:#x}"]]


TOOL = Tool("st-flash", "apt-get install stlink-tools", "bin", commands)
