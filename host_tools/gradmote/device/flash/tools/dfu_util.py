"""The tool dfu-util, for a part whose boot loader waits on USB.

Setting: the part's VID:PID in that state.
"""

from gradmote.device.toolchains.system_packages import how_to_install

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    """Return the command that writes the firmware and leaves the boot loader."""
    where = f"{job.address:#x}:leave"
    return [["dfu-util", "--device", job.setting, "--alt", "0", "--dfuse-address", where, "--download", str(job.file)]]


TOOL = Tool("dfu-util", how_to_install("dfu-util"), "bin", commands, finds_boot_loader=True)
