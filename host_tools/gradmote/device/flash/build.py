"""The firmware to program: built by scons from this checkout, general or with the kernels of one model alone."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gradmote.boards import Board, from_footprint
from gradmote.errors import DeviceError

from .run import run

ROOT = Path(__file__).resolve().parents[4]

_HINT = "see what scons says; where the compiler is missing it names the packages that have it"


@dataclass(frozen=True)
class Firmware:
    """elf: what is programmed. board: what this very firmware leaves for a model."""

    elf: Path
    board: Board


def build(
    board: str, model: Path | None, on_line: Callable[[str], None] = lambda line: None, key: Path | None = None
) -> Firmware:
    """model: whose kernels go in; all there are without one. key: the public one that images must be signed by.
    DeviceError where it cannot be built."""
    require_checkout()
    folder = ROOT / "build" / "firmware" / (board.replace("-", "_") + _suffix(model, key))
    targets = [folder / "firmware.elf", folder / "footprint.json"]
    options = [f"BOARD={board}", *([f"MODEL={model.resolve()}"] if model else [])]
    options += [f"KEY={key.resolve()}"] if key else []
    command = [sys.executable, "-m", "SCons", "-Q", *options, *(str(target) for target in targets)]
    run(command, f"cannot build the firmware of {board}", _HINT, ROOT, on_line)
    return Firmware(targets[0], from_footprint(json.loads(targets[1].read_text())))


def _suffix(model: Path | None, key: Path | None) -> str:
    return (f"-{model.stem}" if model else "") + ("-signed" if key else "")


def require_checkout() -> None:
    if not (ROOT / "SConstruct").is_file():
        raise DeviceError(
            "there are no firmware sources beside this gradmote",
            "run it from a checkout of the repository, make a project (gradmote new, then pio run -t upload), or give "
            "what was built: --firmware firmware.elf",
        )
    if importlib.util.find_spec("SCons") is None:
        raise DeviceError("scons, which builds the firmware, is not installed", "install it: pip install scons")
