"""PlatformIO, for boards whose compiler and libraries it brings. Setting: the environment of platformio.ini."""

from .tool import Command, Job, Tool


def commands(job: Job) -> list[Command]:
    project = ["--project-dir", str(job.file), "--environment", job.setting]
    return [["pio", "run", *project, "--target", "upload", "--upload-port", job.port]]


TOOL = Tool("pio", "pip install platformio", "source", commands)
