"""What the boards of firmware/boards leave for a model, beside the firmware that they run.

`scons firmware` measures each firmware: build/firmware/<board>/footprint.json. Where none was built, boards.json says
what the firmware of this version takes; `scons footprints` writes it.
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
    """In bytes; what the console's `mem` reports has its names here.

    measured: whether the firmware was built and its sizes counted. Where PlatformIO alone can build it, the arena and
    the areas of flash are what the firmware sets aside, and the other sizes are estimates.
    profile: of the numerics. clock: of the core, in Hz. emulator: how to start one; empty for a real part.
    flash_is_emulated: whether its flash can be programmed there, or has to be filled before the start.
    stack_size: set aside; stack_bound: the most that can be used of it, by the functions of stack_way, each called by
    the one before, or, last, an interrupt with what it calls. buffers: all that is fixed in RAM. code: of
    the firmware, in `flash`; code_parts: what it is made of. The image, at image_address (0 where the framework chooses
    it), and the checkpoints have areas of their own.
    usb: VID:PID of its serial port, hexadecimal. upload: what programs a real part, best first -> what that tool must
    know of it (device/flash/tools); empty where there is nothing to program.
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
        return sum(self.buffers.values())

    @property
    def arena_available(self) -> int:
        """What is left for the arena."""
        return self.ram - self.stack_size - self.static_ram

    @property
    def all_flash(self) -> int:
        return self.flash + self.image_area + self.checkpoint_area

    def lacks(self, arena: int, image: int) -> list[str]:
        """What a model of these sizes is too large for; empty where it fits."""
        wanted = [("RAM", arena, self.arena_available), ("flash", image, self.image_area)]
        wanted.append(("flash", self.code, self.flash))
        return [f"{size - there:,} B of {kind}" for kind, size, there in wanted if size > there]

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "static_ram": self.static_ram, "arena_available": self.arena_available}


def boards() -> list[Board]:
    """All there are, by name."""
    return [board(name) for name in sorted(known())]


def smallest(arena: int, image: int) -> Board | None:
    """Return the board with the least RAM that can be bought and holds a model of these bytes beside its firmware."""
    holding = [found for found in boards() if found.upload and not found.lacks(arena, image)]
    return min(holding, key=lambda found: (found.ram, found.arena_available), default=None)


def room(name: str) -> tuple[int, int]:
    """(RAM for the arena, flash for the image) of a board, in bytes. Raises DeviceError."""
    found = board(name)
    return found.arena_available, found.image_area


def board(name: str) -> Board:
    """The board of this name. Raises DeviceError where there is none."""
    released = known()
    if name not in released:
        raise DeviceError(f"there is no board {name}", f"boards are {', '.join(sorted(released))}")
    built = build_folder() / "firmware" / name.replace("-", "_") / "footprint.json"
    found = json.loads(built.read_text()) if built.exists() else {}
    if found.keys() != released[name].keys():  # none, or of another version
        found = released[name]
    return from_footprint(found)


def from_footprint(found: dict[str, Any]) -> Board:
    """What a footprint.json says."""
    lists = {name: tuple(found[name]) for name in ("stack_way", "emulator", "usb")}
    return Board(**{**found, **lists})


def known() -> dict[str, dict[str, Any]]:
    """Name -> what its firmware takes."""
    found: dict[str, dict[str, Any]] = json.loads((files(__package__) / "boards.json").read_text())
    return found
