"""What all programming tools have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Command = list[str]


@dataclass(frozen=True)
class Job:
    """A firmware to program. file: in the tool's own format. address: of its first byte. setting: what board.toml tells
    the tool. port: serial port of the board; "" where it has none yet."""

    file: Path
    address: int
    setting: str
    port: str


def _nothing(job: Job) -> None:
    """Most tools need no preparation."""


@dataclass(frozen=True)
class Tool:
    """program: that must be installed; "" where none is. install: how to get it. format: of Job.file, "elf", "bin",
    "hex" or "uf2", or "source" where the tool builds what it programs. commands: to run one by one, each must end with
    status 0. prepare: what comes first. finds_boot_loader: on USB, where a part without firmware has no serial port."""

    program: str
    install: str
    format: str
    commands: Callable[[Job], list[Command]]
    prepare: Callable[[Job], None] = _nothing
    finds_boot_loader: bool = False
