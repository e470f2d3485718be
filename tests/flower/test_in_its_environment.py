"""Flower has versions of its own of what the tests need, so its tests run in an environment of their own.

`./run test` makes build/flower from .ci/requirements-flower.txt. If Flower is installed beside pytest, its tests
are collected as all others are.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support import federation

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "build" / "flower" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
#: There once all is installed, which pip does as a whole or not at all.
FLWR = PYTHON.parent / f"flwr{PYTHON.suffix}"
FILES = sorted((Path(__file__).parent / "inside").glob("test_*.py"))
QUIET = {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_DISABLE_UPDATE_CHECK": "1", "RAY_USAGE_STATS_ENABLED": "0",
         "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1"}  # fmt: skip


@pytest.mark.skipif(not FLWR.exists(), reason="build/flower is not complete: ./run setup makes it")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_in_its_environment(file, tmp_path):
    image = tmp_path / "image.mote"
    image.write_bytes(federation.image())
    paths = os.pathsep.join(str(ROOT / part) for part in ("host_tools", "bindings/python", "tests"))
    environment = {**os.environ, **QUIET, "PYTHONPATH": paths, "GRADMOTE_FLOWER_IMAGE": str(image),
                   "FLWR_HOME": str(tmp_path)}  # fmt: skip
    command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", file]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
