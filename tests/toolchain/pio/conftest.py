"""PlatformIO in firmware/, with its own ports and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.pio import Pio, require_pio, with_free_ports


@pytest.fixture(scope="session")
def pio(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Pio:
    require_pio()
    folder = tmp_path_factory.mktemp("pio")
    (folder / "platformio.ini").write_text(with_free_ports((root / "firmware" / "platformio.ini").read_text()))
    return Pio(root / "firmware", folder / "core", folder / "workspace")


@pytest.fixture(scope="session")
def conf(pio: Pio) -> Path:
    """firmware/platformio.ini with free ports."""
    return pio.workspace.parent / "platformio.ini"
