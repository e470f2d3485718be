"""Pages, workflows and messages name commands of ./run that there are."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

NAMED = re.compile(r"(?<![\w/])\./run ([a-z]+)\b")
#: Files that say what to type -> the least number of commands that they name.
TELLING = {
    "README.md": 5,
    "docs": 20,
    ".github": 2,
    ".ci": 2,
    "examples": 5,
    "run": 10,
    "host_tools": 0,
    "SConstruct": 1,
}


@pytest.fixture(scope="module")
def commands(root: Path) -> set[str]:
    """Return the commands that ./run help lists."""
    text = subprocess.run([root / "run", "help"], cwd=root, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^    \./run ([a-z]+)", text, re.M))


@pytest.mark.parametrize("place", TELLING)
def test_commands_that_are_named_are_there(root: Path, commands: set[str], place: str) -> None:
    found = [name for path in files(root / place) for name in NAMED.findall(path.read_text())]
    assert len(found) >= TELLING[place]
    assert set(found) <= commands | {"stops"}  # "./run stops here"


def files(path: Path) -> list[Path]:
    endings = (".md", ".yml", ".py", ".txt", "")
    inside = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [file for file in inside if file.is_file() and file.suffix in endings and "__pycache__" not in file.parts]


def test_an_unknown_command_is_refused(root: Path) -> None:
    done = subprocess.run([root / "run", "tset"], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "./run test" in done.stdout
