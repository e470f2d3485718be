"""The tool st-flash, through the ST-Link of ST's own boards. It verifies what it wrote."""

from gradmote.device.toolchains.system_packages import how_to_install

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    """Return the command that writes the firmware and resets the part."""
    return [["st-flash", "--reset", "write", str(job.file), f"{job.address:#x}"]]


TOOL = Tool("st-flash", how_to_install("st-flash"), "bin", commands)
