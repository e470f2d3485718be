"""Any board with the framework arduino."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from platformio.package.manager.core import get_core_package_dir
from platformio.platform.board import PlatformBoardConfig
from platformio.public import PlatformBase

SHARED = Path(__file__).resolve().parents[4] / "firmware" / "platform" / "platform.py"


class StandinPlatform(PlatformBase):
    def get_boards(self, id_: str | None = None) -> Any:
        return {} if id_ is None else BoardConfig(id_)

    def install_required_packages(self, force: bool = False) -> None:
        if get_core_package_dir("tool-scons", auto_install=False) is None:
            spec = importlib.util.spec_from_file_location("gradmote_platform", SHARED)
            shared = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(shared)
            shared.use_installed_scons(Path(self.pm.package_dir))
        super().install_required_packages(force)


class BoardConfig(PlatformBoardConfig):
    def __init__(self, name: str) -> None:
        self._id = name
        self.manifest_path = name
        self._manifest = {
            "name": name,
            "platform": "standin",
            "vendor": "",
            "url": "",
            "frameworks": ["arduino"],
            "build": {"mcu": "host", "f_cpu": "1L"},
            "upload": {"maximum_size": 1 << 30, "maximum_ram_size": 1 << 30},
        }
