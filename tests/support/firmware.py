"""Builds the firmware of the boards that a test needs; skips the test if the tools for one are missing."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from gradmote.device.emulated_firmware import default_firmware
from gradmote.device.emulator import missing

ROOT = Path(__file__).resolve().parents[2]
#: The id of the run if there is only one process.
ALONE = str(uuid.uuid4())
#: The last run of tests, and SCons' arguments in it.
RUN = ROOT / "build" / "scons_in_tests.json"


def build_firmware(*arguments: str, board: str = "mps2-an386") -> None:
    """Compile the changed parts of a board's firmware. Skips the test if it cannot be built or emulated."""
    scons_firmware(*arguments, board=board)
    lack = missing(board)
    if lack:
        pytest.skip(lack)


def scons_firmware(*arguments: str, board: str) -> None:
    """Run `scons firmware` for one board, with more of SCons' arguments."""
    run_scons("firmware", f"BOARD={board}", *arguments)
    if default_firmware(board).is_file():
        os.utime(default_firmware(board))  # SCons leaves it as it is if only the time of a source changed


@cache
def run_scons(*arguments: str) -> None:
    """Run SCons once per run of tests. Processes that would build at the same time take turns."""
    command = [sys.executable, "-m", "SCons", "-Q", "-j2", *arguments]
    with turn():
        done = what_was_run()
        if arguments not in done:
            built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert built.returncode == 0, built.stdout + built.stderr
            RUN.write_text(json.dumps([name_of_run(), *done, arguments]))


@contextmanager
def turn() -> Iterator[None]:
    """Wait until no other process of the tests runs SCons in this checkout."""
    with (ROOT / "firmware" / "SConscript").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def what_was_run() -> list[tuple[str, ...]]:
    """Return the arguments with which processes of this run of tests ran SCons; its sources do not change."""
    run, *done = json.loads(RUN.read_text()) if RUN.exists() else [""]
    return [tuple(arguments) for arguments in done] if run == name_of_run() else []


def name_of_run() -> str:
    """Return the name of this run of tests, common to all processes that share it."""
    return os.environ.get("PYTEST_XDIST_TESTRUNUID", ALONE)
