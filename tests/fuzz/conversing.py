"""tests/fuzz/converse.c: the firmware under ASan and UBSan, which must serve, and load what it said that it saved."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.firmware import run_scons

BUILT = Path(__file__).resolve().parents[2] / "build" / "conversations" / "converse"


def build() -> None:
    run_scons("-s", "conversations")


def follow(said: bytes, folder: Path) -> str:
    """Run the program on a conversation in the form of tests/fuzz/seeds.py, and return what it prints."""
    script = folder / "said"
    script.write_bytes(said)
    return _run(script)


def draw(conversations: int, steps: int, seed: int) -> str:
    return _run(conversations, steps, seed)


def _run(*arguments: object) -> str:
    done = subprocess.run([BUILT, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
