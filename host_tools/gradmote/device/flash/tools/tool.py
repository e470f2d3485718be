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
        setting: The text that board.toml has for the tool.
        port: The serial port of the board; "" where it has none yet.
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
        program: The program that must be installed; "" where none is needed.
        install: The command that installs it, or its address.
        format: The format of Job.file, "elf", "bin", "hex" or "uf2"; or "source" where the tool
            builds what it programs.
        commands: The commands to run one by one, each of which must end with status 0.
        prepare: Called before the commands.
        finds_boot_loader: Whether it finds the part on USB, where a part without firmware has no
            serial port.
    """

    program: str
    install: str
    format: str
    commands: Callable[[Job], list[Command]]
    prepare: Callable[[Job], None] = _nothing
    finds_boot_loader: bool = False
