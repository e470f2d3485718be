"""Run commands for the other modules, and define the folders of the products."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from runtime_sources import ROOT

#: The folder of published files.
OUT = ROOT / "build" / "dist"
#: The folder in which they are made.
WORK = ROOT / "build" / "dist-work"

#: ziglang's program: its module would start a Python for each source.
ZIG = [str(Path(spec.origin).with_name("zig"))] if (spec := find_spec("ziglang")) and spec.origin else ["zig"]
#: Debian's folder of musl's library.
MUSL = Path("/lib/x86_64-linux-musl")


class Missing(Exception):
    """Something that this computer lacks, without which a check cannot run."""


class Failed(Exception):
    """A command that failed, with what it printed."""


def run(command: Sequence[object], folder: Path = ROOT, **environment: str) -> str:
    """Return what a command printed. Raises Failed with it if the exit status is not 0."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **environment},
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        raise Failed(f"{' '.join(words)[:300]}\n{done.stdout[-4000:]}")
    return done.stdout


def python(*arguments: object, folder: Path = ROOT, **environment: str) -> str:
    """Return what this Python printed."""
    return run([sys.executable, *arguments], folder, **environment)
