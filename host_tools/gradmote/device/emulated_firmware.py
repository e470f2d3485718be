"""The firmware that an emulated board runs: one that is there, or one that is built now and kept.

`scons firmware` of a checkout writes build/firmware/<board>. If that is missing, or older than its
sources, a compiler builds the firmware from the sources, and it is kept in `packaged` of gradmote's
build folder under a digest of all that went into it. It has the kernels of all operators. If those
of quantized models do not fit beside the others, such a model gets firmware for itself alone.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gradmote.device.boards import Board, board, from_footprint
from gradmote.errors import DeviceError, ImageError
from gradmote.formats.files import build_folder
from gradmote.formats.kernel_selection import needs_of
from gradmote.sources.parts import firmware_sources

from .flash.build import is_checkout
from .flash.fit import require_fit
from .flash.from_sources import FOLDER, board_of, build, require_compiler
from .flash.watch import Watch

#: How the messages call an image whose file is not known.
_UNNAMED = "model.mote"


def default_firmware(name: str) -> Path:
    """Return the path to which `scons firmware` writes a board's firmware."""
    return build_folder() / "firmware" / name.replace("-", "_") / "firmware.elf"


def require_firmware(name: str, elf: Path | str | None = None) -> None:
    """Raise DeviceError if the given firmware is missing, or the board's can neither be found nor built."""
    if elf is not None:
        _existing(Path(elf))
    elif not _is_current(default_firmware(name)):
        require_compiler(name)


def firmware_for(
    name: str, elf: Path | str | None = None, image: bytes | Path | None = None, watch: Watch | None = None
) -> Path:
    """Return the firmware to run, and build it if it is missing.

    Raises ModelError if the image does not fit the board, before anything is built, and DeviceError
    if the firmware cannot be built.

    Args:
        name: The board.
        elf: A firmware to run instead, whatever the image.
        image: The image that the board is to run; None for any.
        watch: Gets the progress of a build; by default a warning is logged.
    """
    if elf is not None:
        return _existing(Path(elf))
    data, file = (image.read_bytes(), image.name) if isinstance(image, Path) else (image, _UNNAMED)
    kernels = _own_kernels(name, data)
    _require_room(_with_kernels(board(name), kernels), data, file)
    if not kernels and _is_current(default_firmware(name)):
        return default_firmware(name)
    return _built(name, data if kernels else None, data, file, watch or Watch(logging.getLogger(__name__).warning))


def _built(name: str, own: bytes | None, image: bytes | None, file: str, watch: Watch) -> Path:
    """Build the firmware, for the image `own` alone if there is one, and check that `image` fits beside it."""
    told = _tell_once(watch, f"build the firmware of {name}{f' for {file} alone' if own else ''}")
    elf = build(name, own, None, told)
    _require_room(from_footprint(json.loads(elf.with_name("footprint.json").read_text())), image, file)
    return elf


def _tell_once(watch: Watch, text: str) -> Watch:
    """Return a watch that names the stage as soon as anything is compiled, and counts instead of naming sources."""
    told: list[str] = []

    def on_line(line: str) -> None:
        if not told:
            told.append(text)
            watch.stage(text)
            watch.note(f"it is built once, and kept in {build_folder() / FOLDER}")

    return replace(watch, line=on_line)


def _own_kernels(name: str, image: bytes | None) -> Sequence[str]:
    """Return the flags of firmware for this image alone; none if the board's general firmware runs it."""
    try:
        needs = None if image is None else needs_of(image)
    except ImageError:  # the board says what is wrong with it
        return []
    return needs.flags() if needs is not None and needs.int8 and board_of(name).left_out() else []


def _with_kernels(known: Board, kernels: Sequence[str]) -> Board:
    """Return the board with the stack that firmware with these kernels reserves, and code of unknown size."""
    if not kernels:
        return known
    return replace(known, stack_size=board_of(known.name).with_kernels(kernels).table["memory"]["stack"], code=0)


def _require_room(known: Board, image: bytes | None, file: str) -> None:
    try:
        if image is not None:
            require_fit(known, image, file)
    except ImageError:  # the board says what is wrong with it
        return


def _existing(firmware: Path) -> Path:
    if not firmware.is_file():
        raise DeviceError(f"there is no firmware {firmware}", "leave it out, and gradmote builds the board's own")
    return firmware


def _is_current(elf: Path) -> bool:
    """Return whether a firmware is there and, in the checkout that built it, no older than its sources."""
    if not elf.is_file():
        return False
    return not is_checkout() or max(path.stat().st_mtime for path in firmware_sources()) <= elf.stat().st_mtime
