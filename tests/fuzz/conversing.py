"""The firmware under ASan and UBSan, which must serve, and load what it said that it saved (tests/fuzz/converse.c),
whenever power or flash fails (tests/fuzz/cut.c)."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.firmware import run_scons

BUILT = Path(__file__).resolve().parents[2] / "build" / "conversations"


def build() -> None:
    run_scons("-s", "conversations")


def follow(said: bytes, folder: Path) -> str:
    """Run the program on a conversation in the form of tests/fuzz/seeds.py, and return what it prints."""
    script = folder / "said"
    script.write_bytes(said)
    return _run("converse", script)


def draw(conversations: int, steps: int, seed: int) -> str:
    return _run("converse", conversations, steps, seed)


def cut(conversations: int, requests: int, seed: int) -> str:
    """Run sequences of requests in which flash and power fail."""
    return _run("cut", conversations, requests, seed)


def _run(program: str, *arguments: object) -> str:
    done = subprocess.run([BUILT / program, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
