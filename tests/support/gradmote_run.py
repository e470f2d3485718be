"""gradmote-run as a board: a process that serves the console at a port, and keeps its files in a folder."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from support.firmware import run_scons

ROOT = Path(__file__).resolve().parents[2]


def build_gradmote_run(name: str) -> Path:
    """Return the program for a processor, or the `sanitized` one for this computer."""
    built = f"build/sbc/{name}/gradmote-run"
    run_scons(built)
    return ROOT / built


class Started(Protocol):
    """A program, and its emulator if it is for another processor."""

    @property
    def command(self) -> tuple[str, ...]: ...


@contextmanager
def served(
    program: Started, *options: object, cwd: Path | None = None, port: int = 0
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Yield the URL and the process of a console at a port of this computer; kill the process at the end.

    port: 0 for a free one.
    """
    command = [*program.command, "console", "--listen", f"127.0.0.1:{port}", *map(str, options)]
    process = subprocess.Popen(command, cwd=cwd, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        first = process.stderr.readline()
        assert first.startswith("listening at 127.0.0.1:"), first + process.stderr.read()
        yield f"socket://{first.split()[-1]}", process
    finally:
        process.kill()
        process.communicate()
