"""The firmware to program: general, or with the kernels of only one model.

In a checkout scons builds it. Elsewhere a compiler builds it from the package's own sources.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradmote.device.boards import Board, from_footprint
from gradmote.errors import OutputError
from gradmote.formats.files import make_build_folder, new_folder
from gradmote.sources.parts import copy_sources, digest_of_sources

from . import from_sources
from .processes import run_tool
from .watch import SILENT, Watch

ROOT = Path(__file__).resolve().parents[4]

_HINT = "the lines above say why"


@dataclass(frozen=True)
class Firmware:
    """A firmware that was built or given.

    Attributes:
        elf: The file to program.
        board: The board, with the memory that this firmware leaves for a model.
    """

    elf: Path
    board: Board


def build(
    board: str, model: Path | None, watch: Watch = SILENT, key: Path | None = None, rollback_protect: bool = False
) -> Firmware:
    """Build a board's firmware; raise DeviceError if that fails.

    Args:
        board: The board's name.
        model: The image whose kernels the firmware contains; without one it contains all kernels.
        watch: Gets the lines that the build prints and, without scons, how much is compiled.
        key: The file of the public key that must have signed each image; None accepts any image.
        rollback_protect: Whether the firmware also refuses images of a lower version.
    """
    name = board.replace("-", "_")
    if _has_scons() and from_sources.has_gcc(board):
        folder = ROOT / "build" / "firmware" / (name + _suffix(model, key, rollback_protect))
        elf = _by_scons(board, folder, model, _options(key, rollback_protect), watch.line)
    else:
        image = None if model is None else model.read_bytes()
        elf = from_sources.build(board, image, key, watch, rollback_protect)
    return Firmware(elf, from_footprint(json.loads(elf.with_name("footprint.json").read_text())))


def _options(key: Path | None, rollback_protect: bool) -> list[str]:
    """Return the options of scons for a key and for rollback protection."""
    return [*([f"KEY={key.resolve()}"] if key else []), *(["ROLLBACK_PROTECT=1"] if rollback_protect else [])]


def _by_scons(
    board: str, folder: Path, model: Path | None, more: Sequence[str], on_line: Callable[[str], None]
) -> Path:
    targets = [folder / "firmware.elf", folder / "footprint.json"]
    options = [f"BOARD={board}", *([f"MODEL={model.resolve()}"] if model else [])]
    command = [sys.executable, "-m", "SCons", "-Q", *options, *more, *(str(target) for target in targets)]
    run_tool(command, f"cannot build the firmware of {board}", _HINT, ROOT, on_line)
    return targets[0]


def _suffix(model: Path | None, key: Path | None, rollback_protect: bool) -> str:
    signed = ("-signed" if key else "") + ("-protected" if rollback_protect else "")
    return (f"-{model.stem}" if model else "") + signed


def is_checkout() -> bool:
    """Return whether this gradmote runs from a checkout of its repository."""
    return (ROOT / "SConstruct").is_file()


def _has_scons() -> bool:
    return is_checkout() and importlib.util.find_spec("SCons") is not None


def project_folder() -> Path:
    """Return the folder of firmware/platformio.ini, to which PlatformIO may write.

    It is in the checkout, or in a copy of the package's sources.
    """
    if is_checkout():
        return ROOT / "firmware"
    copy = make_build_folder() / f"sources-{digest_of_sources()[:12]}"
    if not copy.exists():
        try:
            with new_folder(copy) as made:
                copy_sources(made)
        except OutputError:
            if not copy.exists():  # else another process created it in the meantime
                raise
    return copy / "firmware"
