"""The types that all programming tools share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Command = list[str]


@dataclass(frozen=True)
class Job:
    """A firmware to program.

    Attributes:
        file: The firmware, in the tool's own format.
        address: The address of its first byte.
        setting: The tool's entry in board.toml.
        port: The serial port of the board; "" if it has none yet.
    """

    file: Path
    address: int
    setting: str
    port: str


def _nothing(job: Job) -> None:
    """Do nothing: most tools need no preparation."""


@dataclass(frozen=True)
class Tool:
    """A way to program parts.

    Attributes:
        program: The program that must be installed; "" if it needs none.
        install: The command that installs it, or its address.
        format: The format of Job.file, "elf", "bin", "hex" or "uf2"; or "source" if the tool
            builds what it programs.
        commands: Return the commands to run in order; each must end with status 0.
        prepare: Called before the commands.
        finds_boot_loader: Whether it finds the part on USB, since a part without firmware has no
            serial port.
    """

    program: str
    install: str
    format: str
    commands: Callable[[Job], list[Command]]
    prepare: Callable[[Job], None] = _nothing
    finds_boot_loader: bool = False
