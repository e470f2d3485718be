"""The markers of tests, by which `./run test --fast` chooses."""

from __future__ import annotations

import subprocess
import sys

from support.tiers import OF_TOOLCHAIN


def test_folders_of_the_toolchain_are_there(root) -> None:
    assert all(any((root / "tests" / folder).rglob("*.py")) for folder in OF_TOOLCHAIN)


def test_markers_choose(root) -> None:
    """Check which of three files are chosen; one needs boards and one compilers."""
    files = ["tests/unit/plan/test_arena.py", "tests/device/test_teach.py", "tests/c/threads/test_split.py"]
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-m", "device or toolchain", *files]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    chosen = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    assert chosen == set(files[1:])
