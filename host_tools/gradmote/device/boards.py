"""The boards in firmware/boards, and the memory that each has left for a model besides its firmware.

`scons firmware` measures the firmware that it builds, and writes the sizes to
build/firmware/<board>/footprint.json. If a board's firmware has not been built, its sizes come from
boards.json, which `scons footprints` writes and the package contains.
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
    """One kind of board, with the memory that its firmware takes and leaves, in bytes.

    The sizes have the same names as in the console's `mem`.

    Attributes:
        name: The name on the command line.
        title: The name for people.
        core: The processor core.
        profile: The numerics profile, "fused" or "strict".
        clock: The core's frequency in Hz.
        emulator: The command that starts its emulator; empty if it has none.
        ram: All RAM of the part.
        stack_size: The RAM set aside for the stack.
        stack_bound: The most stack that any chain of calls can take, interrupts included.
        stack_way: The chain of calls that takes stack_bound, each function called by the one before
            it. It may end with an interrupt handler and the functions that the handler calls.
        buffers: The static RAM of the firmware, by purpose.
        flash: The area of flash available to the firmware.
        code: The firmware's bytes in `flash`.
        code_parts: The bytes of each part of `code`; their sum is `code`.
        image_address: The address of the image area; 0 if the board's framework chooses it.
        image_area: The area of flash for the image.
        checkpoint_area: The area of flash for checkpoints.
        usb: The VID:PID of its serial port, hexadecimal.
        upload: The setting of each tool that can program a real part, by the tool's name, best tool
            first (device/flash/tools.py); empty for a board that exists only emulated.
        measured: Whether the sizes were measured on built firmware. False for a board that only
            PlatformIO can build: then ram, the RAM left for the arena and the areas of flash are
            exact, and the other sizes are estimates.
        flash_is_emulated: Whether its emulator can program the flash. If not, flash has to be filled
            before the emulator starts.
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
        """The static RAM of the firmware, without the stack."""
        return sum(self.buffers.values())

    @property
    def arena_available(self) -> int:
        """The RAM left for the arena."""
        return self.ram - self.stack_size - self.static_ram

    @property
    def all_flash(self) -> int:
        """The flash of firmware, image and checkpoints together."""
        return self.flash + self.image_area + self.checkpoint_area

    def lacks(self, arena: int, image: int) -> list[str]:
        """Return as text how many bytes of each kind of memory a model lacks; empty if it fits.

        arena, image: the bytes that the model needs. The firmware itself may lack flash, too.
        """
        needs = [
            ("RAM", arena, self.arena_available),
            ("flash", image, self.image_area),
            ("flash", self.code, self.flash),
        ]
        return [f"{size - available:,} B of {kind}" for kind, size, available in needs if size > available]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields, with static_ram and arena_available, for a JSON report."""
        return {**asdict(self), "static_ram": self.static_ram, "arena_available": self.arena_available}


def boards() -> list[Board]:
    """Return all boards, sorted by name."""
    return [board(name) for name in sorted(known())]


def smallest(arena: int, image: int) -> Board | None:
    """Return the board with the least RAM that holds a model of these sizes, or None if none does.

    Only boards that exist as real parts count.
    """
    fitting = [found for found in boards() if found.upload and not found.lacks(arena, image)]
    return min(fitting, key=lambda found: (found.ram, found.arena_available), default=None)


def room(name: str) -> tuple[int, int]:
    """Return (RAM for the arena, flash for the image) of a board, in bytes.

    Raises DeviceError if there is no such board.
    """
    found = board(name)
    return found.arena_available, found.image_area


def board(name: str) -> Board:
    """Return the board of this name, with the sizes of the firmware built last, if any.

    Raises DeviceError if there is no such board.
    """
    released = known()
    if name not in released:
        raise DeviceError(f"there is no board {name}", f"boards are {', '.join(sorted(released))}")
    built = build_folder() / "firmware" / name.replace("-", "_") / "footprint.json"
    found = json.loads(built.read_text()) if built.exists() else {}
    if found.keys() != released[name].keys():  # not built, or built by another version
        found = released[name]
    return from_footprint(found)


def from_footprint(found: dict[str, Any]) -> Board:
    """Return the board that a footprint.json describes."""
    tuples = {name: tuple(found[name]) for name in ("stack_way", "emulator", "usb")}  # JSON has lists
    return Board(**{**found, **tuples})


def known() -> dict[str, dict[str, Any]]:
    """Return the footprint of each board in boards.json, by the board's name."""
    footprints: dict[str, dict[str, Any]] = json.loads((files(__package__) / "boards.json").read_text())
    return footprints
