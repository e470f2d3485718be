"""PlatformIO's platform for the boards of firmware/boards that have their own compiler.

It needs no registry: boards come from their board.toml, compilers and emulators from PATH.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from platformio.package.manager.core import get_core_package_dir
from platformio.platform.board import PlatformBoardConfig
from platformio.platform.exception import UnknownBoard
from platformio.public import PlatformBase

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "site_scons"))

from boards import Board, boards  # noqa: E402


class GradmotePlatform(PlatformBase):
    def is_embedded(self) -> bool:
        """Return whether tests are uploaded before they run."""
        return True

    def get_boards(self, id_: str | None = None) -> Any:
        found = {board.name: BoardConfig(board) for board in boards() if board.compiler}
        if id_ is not None and id_ not in found:
            raise UnknownBoard(id_)
        return found if id_ is None else found[id_]

    def install_required_packages(self, force: bool = False) -> None:
        if get_core_package_dir("tool-scons", auto_install=False) is None:
            use_installed_scons(Path(self.pm.package_dir))
        super().install_required_packages(force)


class BoardConfig(PlatformBoardConfig):
    """A board.toml as PlatformIO's manifest of a board."""

    def __init__(self, board: Board) -> None:
        memory = board.table["memory"]
        self._id = board.name
        self.manifest_path = str(board.metadata)
        self._manifest = {
            "name": board.table["title"],
            "platform": "gradmote",
            "vendor": "Gradmote",
            "url": "",
            "frameworks": [],
            "build": {"mcu": board.table["core"], "f_cpu": f"{board.table['clock']}L"},
            "upload": {"maximum_size": memory["flash"], "maximum_ram_size": memory["ram"]},
        }


def use_installed_scons(packages: Path) -> None:
    """Register an SCons that is installed with PlatformIO as its package tool-scons, to avoid the download."""
    if importlib.util.find_spec("SCons") is None:
        return
    major, minor, patch = version("SCons").split(".")
    number = f"{major}.{int(major)}{int(minor):02d}{int(patch):02d}.0"  # 4.11.1 is PlatformIO's 4.41101.0
    spec = {"owner": "platformio", "id": None, "name": "tool-scons", "requirements": None, "uri": None}
    about = {"name": "tool-scons", "version": number}
    folder = packages / "tool-scons"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scons.py").write_text("from SCons.Script import main\n\nmain()\n")
    (folder / "package.json").write_text(json.dumps({**about, "description": "SCons as pip installed it"}))
    (folder / ".piopm").write_text(json.dumps({"type": "tool", **about, "spec": spec}))
