"""The tool PlatformIO, for boards whose compiler and libraries it provides.

Setting: the environment of platformio.ini.
"""

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    """Return the command that builds and uploads the firmware."""
    project = ["--project-dir", str(job.file), "--environment", job.setting]
    port = ["--upload-port", job.port] if job.port else []
    return [["pio", "run", *project, "--target", "upload", *port]]


TOOL = Tool("pio", "pip install platformio", "source", commands, finds_boot_loader=True)
