"""The boards of firmware/boards, and the memory that each leaves for a model beside its firmware.

`scons firmware` measures each firmware and writes build/firmware/<board>/footprint.json. Where none
was built, boards.json has the sizes of this version's firmware; `scons footprints` writes it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from typing import Any

from ..errors import DeviceError
from ..formats.files import build_folder


@dataclass(frozen=True)
class Board:
    """One kind of board, and the memory that its firmware takes and leaves, in bytes.

    The sizes have the names that the console's `mem` reports.

    Attributes:
        name: The name on the command line.
        title: The name that people read.
        core: The processor core.
        profile: The numerics profile, "fused" or "strict".
        clock: The core's frequency in Hz.
        emulator: The command that starts an emulator; empty for a board that is only real.
        ram: All of the RAM.
        stack_size: The RAM set aside for the stack.
        stack_bound: The most of the stack that can be in use.
        stack_way: The functions that reach stack_bound, each called by the one before it; the last
            may be an interrupt with what it calls.
        buffers: All that is fixed in RAM.
        flash: The area of flash that the firmware may fill.
        code: The firmware's bytes in `flash`.
        code_parts: The parts that `code` is made of.
        image_address: The address of the image's area; 0 where the framework chooses it.
        image_area: The area of flash for the image.
        checkpoint_area: The area of flash for checkpoints.
        usb: The VID:PID of its serial port, hexadecimal.
        upload: The tools that program a real part, best first -> the tool's setting
            (device/flash/tools); empty where there is nothing to program.
        measured: Whether the firmware was built and its sizes counted. Where PlatformIO alone can
            build it, the arena and the areas of flash are what the firmware sets aside, and the
            other sizes are estimates.
        flash_is_emulated: Whether its emulator can program the flash, which otherwise has to be
            filled before the start.
    """

    name: str
    title: str
    core: str
    profile: str
    clock: int
    emulator: tuple[str, ...]
    ram: int
    stack_size: int
    stack_bound: int
    stack_way: tuple[str, ...]
    buffers: dict[str, int]
    flash: int
    code: int
    code_parts: dict[str, int]
    image_address: int
    image_area: int
    checkpoint_area: int
    usb: tuple[str, ...] = ()
    upload: dict[str, str] = field(default_factory=dict)
    measured: bool = True
    flash_is_emulated: bool = True

    @property
    def static_ram(self) -> int:
        """The RAM of all fixed buffers."""
        return sum(self.buffers.values())

    @property
    def arena_available(self) -> int:
        """The RAM that is left for the arena."""
        return self.ram - self.stack_size - self.static_ram

    @property
    def all_flash(self) -> int:
        """The flash of firmware, image and checkpoints together."""
        return self.flash + self.image_area + self.checkpoint_area

    def lacks(self, arena: int, image: int) -> list[str]:
        """Return, as text, the memory that a model of these sizes lacks; empty where it fits."""
        wanted = [("RAM", arena, self.arena_available), ("flash", image, self.image_area)]
        wanted.append(("flash", self.code, self.flash))
        return [f"{size - there:,} B of {kind}" for kind, size, there in wanted if size > there]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields, with static_ram and arena_available, for a JSON report."""
        return {**asdict(self), "static_ram": self.static_ram, "arena_available": self.arena_available}


def boards() -> list[Board]:
    """Return all boards, sorted by name."""
    return [board(name) for name in sorted(known())]


def smallest(arena: int, image: int) -> Board | None:
    """Return the board with the least RAM that can be bought and holds a model of these bytes.

    Returns None where there is none.
    """
    holding = [found for found in boards() if found.upload and not found.lacks(arena, image)]
    return min(holding, key=lambda found: (found.ram, found.arena_available), default=None)


def room(name: str) -> tuple[int, int]:
    """Return (RAM for the arena, flash for the image) of a board, in bytes.

    Raises DeviceError where there is no such board.
    """
    found = board(name)
    return found.arena_available, found.image_area


def board(name: str) -> Board:
    """Return the board of this name, with the sizes of the firmware built last, if there is one.

    Raises DeviceError where there is no such board.
    """
    released = known()
    if name not in released:
        raise DeviceError(f"there is no board {name}", f"boards are {', '.join(sorted(released))}")
    built = build_folder() / "firmware" / name.replace("-", "_") / "footprint.json"
    found = json.loads(built.read_text()) if built.exists() else {}
    if found.keys() != released[name].keys():  # there is none, or another version wrote it
        found = released[name]
    return from_footprint(found)


def from_footprint(found: dict[str, Any]) -> Board:
    """Return the board that a footprint.json describes."""
    lists = {name: tuple(found[name]) for name in ("stack_way", "emulator", "usb")}
    return Board(**{**found, **lists})


def known() -> dict[str, dict[str, Any]]:
    """Return the released footprint of each board by its name."""
    found: dict[str, dict[str, Any]] = json.loads((files(__package__) / "boards.json").read_text())
    return found
