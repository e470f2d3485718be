"""teensy_loader_cli, over the USB of a Teensy, which it restarts into its boot loader. Setting: the MCU, TEENSY41."""

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    return [["teensy_loader_cli", f"--mcu={job.setting}", "-s", "-w", "-v", str(job.file)]]


TOOL = Tool("teensy_loader_cli", "apt-get install teensy-loader-cli", "hex", commands, finds_boot_loader=True)
