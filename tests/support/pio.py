"""PlatformIO for tests: without its registry, with packages in a folder of the tests."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gradmote.device.toolchains.system_packages import how_to_install
from support.ports import free_port

#: A call to the registry without a network takes 61 s; a build of everything on a slow machine less than this.
SECONDS = 300


def require_pio() -> None:
    """Skip if it, or something that an emulated board needs, is missing."""
    if importlib.util.find_spec("platformio") is None:
        pytest.skip("pip install platformio")
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip(how_to_install("arm-none-eabi-gcc"))
    if shutil.which("qemu-system-arm") is None:
        pytest.skip(how_to_install("qemu-system-arm"))


@dataclass(frozen=True)
class Pio:
    """PlatformIO in a project, with a separate core folder."""

    project: Path
    core: Path
    workspace: Path

    def __call__(self, *arguments: str, succeeds: bool = True) -> str:
        """Run PlatformIO and return its output.

        Fails if the outcome differs from `succeeds`, or it asked its registry for anything.
        """
        environment = {
            **os.environ,
            "PLATFORMIO_CORE_DIR": str(self.core),
            "PLATFORMIO_WORKSPACE_DIR": str(self.workspace),
            "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
            "PLATFORMIO_DISABLE_UPGRADE_CHECK": "true",
        }
        command = [sys.executable, "-m", "platformio", *arguments]
        done = subprocess.run(
            command, cwd=self.project, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
        )
        said = done.stdout + done.stderr
        assert (done.returncode == 0) == succeeds, said
        assert "HTTPClientError" not in said and "Internet" not in said
        return said


def with_free_ports(ini: str) -> str:
    """Return the text of a platformio.ini, with its emulators' serial lines at unused ports."""
    return re.sub(r"(?<=socket://127\.0\.0\.1:)\d+", lambda _: str(free_port()), ini)
