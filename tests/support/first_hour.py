"""The first hour with an installed gradmote: a fresh environment, no checkout, and the commands of a newcomer.

    cd tests && ../.venv/bin/python -m support.first_hour [WHEELS] [--clang] [--page]

WHEELS is a folder with wheels of gradmote; by default one is made from the checkout. The environment has its own
HOME, and on PATH only Python, arm-none-eabi-gcc, QEMU and a shell: no compiler for this computer. The checkout is
hidden from it if Linux's namespaces allow that. Each command is printed with its output and its seconds; the exit
status is 0 if all of them succeed. --clang leaves GCC out too, and uses ziglang's clang. --page writes the transcript
into docs/guides/first-hour.md."""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support.own_wheel import ROOT, own_wheels

PAGE = ROOT / "docs" / "guides" / "first-hour.md"
TRANSCRIPT = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
BOARD = "mps2-an386"
#: The programs in the environment besides Python and the compiler.
PROGRAMS = ("sh", "cat", "sha256sum", "qemu-system-arm")
#: Runs a command with the checkout's folder empty.
UNSHARE, MOUNT, SHELL = (shutil.which(name) or "" for name in ("unshare", "mount", "sh"))
HIDING = (UNSHARE, "-rm", SHELL, "-c", f'{MOUNT} -t tmpfs none "$0" && exec "$@"', str(ROOT))
#: The same, with the environment's folder read-only.
FREEZING = (
    *HIDING, SHELL, "-c",
    f'{MOUNT} --bind "$0" "$0" && {MOUNT} -o remount,ro,bind "$0" && exec "$@"',
)  # fmt: skip
#: Three gestures, as from an accelerometer.
DATA = """\
import numpy as np
rng = np.random.default_rng(0)
gesture = rng.integers(0, 3, 120)
x = (rng.normal(size=(3, 30))[gesture] + 0.3 * rng.normal(size=(120, 30))).astype(np.float32)
np.savez("gestures.npz", x=x[:80], y=gesture[:80], x_test=x[80:], y_test=gesture[80:])
"""
COMMANDS = (
    "gradmote --version",
    f"gradmote new lamp --board {BOARD}",
    "cd lamp",
    "cat ../data.py",
    "python ../data.py",
    f"gradmote flash model.mote --board {BOARD}",
    f"gradmote train model.mote --data gestures.npz --epochs 3 --on qemu:{BOARD} --checkpoint board.gmck",
    "gradmote train model.mote --data gestures.npz --epochs 3 --on twin:strict --checkpoint twin.gmck",
    "sha256sum board.gmck twin.gmck",
    "printf 'info\\nmem\\n' | gradmote console PORT",
    "gradmote header model.mote -o model.h",
    f"gradmote bench model.mote --board {BOARD} --program infer",
    f"gradmote flash --stop {BOARD}",
)


class Failed(Exception):
    """The error for a command with a status other than 0."""


@dataclass
class Newcomer:
    """A person in a fresh environment, with a record of commands and answers.

    hides: whether the checkout is hidden. installed: whether nothing more may be installed.
    """

    home: Path
    hides: bool
    installed: bool = False
    transcript: list[str] = field(default_factory=list)
    here: Path = field(init=False)
    port: str = "PORT"

    def __post_init__(self) -> None:
        self.here = self.home

    def types(self, line: str) -> float:
        """Run a command, print and keep its output, and return its seconds. Raises Failed."""
        line = line.replace("PORT", self.port)
        start, worked = time.monotonic(), processor_seconds()
        said, status = self._run(line)
        seconds, worked = time.monotonic() - start, processor_seconds() - worked
        self._tell(f"$ {line}{'' if worked < 0.1 else f'    # {seconds:.1f} s, {worked:.1f} s of a core'}", said)
        if status:
            raise Failed(f"{line}: status {status}")
        found = re.search(r"socket://\S+", said)
        self.port = found[0] if found else self.port
        return seconds

    def _run(self, line: str) -> tuple[str, int]:
        if line.startswith("cd "):
            self.here /= line.removeprefix("cd ")
            return "", 0
        hiding = () if not self.hides else (*FREEZING, str(self.home / "here")) if self.installed else HIDING
        done = subprocess.run(
            [*hiding, SHELL, "-c", line], cwd=self.here, env=self._environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        return done.stdout, done.returncode

    def _environment(self) -> dict[str, str]:
        """Return the variables: of this process only those of pip, to use its cache and index."""
        kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "HTTP"))}
        path = os.pathsep.join(str(self.home / folder) for folder in ("here/bin", "bin"))
        cache = subprocess.run(
            [sys.executable, "-m", "pip", "cache", "dir"], capture_output=True, text=True, check=False
        )
        return {**kept, "HOME": str(self.home), "PATH": path, "COLUMNS": "100", "PIP_CACHE_DIR": cache.stdout.strip()}

    def _tell(self, *texts: str) -> None:
        for text in texts:
            lines = [line.rstrip().replace(str(self.home), "~") for line in text.splitlines() if line.strip()]
            self.transcript += lines
            print("\n".join(lines), flush=True) if lines else None


def first_hour(wheels: Path, clang: bool = False) -> tuple[list[str], float]:
    """Install a wheel from this folder and type all commands; return (transcript, seconds of the installation).

    Raises Failed.
    """
    with fresh_environment(clang) as newcomer:
        newcomer.types("python3 -m venv here")
        wheel = shutil.copy(fitting_wheel(wheels), newcomer.home)
        seconds = newcomer.types(f"pip install --quiet ./{Path(wheel).name}")
        if clang:
            newcomer.types("pip install --quiet ziglang")
        newcomer.installed = True
        for line in COMMANDS:
            newcomer.types(line)
        return newcomer.transcript, seconds


@contextmanager
def fresh_environment(clang: bool) -> Iterator[Newcomer]:
    """Yield a newcomer in a new folder with a space in its name, and remove the folder afterwards."""
    with tempfile.TemporaryDirectory(prefix="first hour ") as name:
        home = Path(name)
        compiler = [] if clang else [path.name for path in installed("arm-none-eabi-")]
        make_programs(home / "bin", [*PROGRAMS, *compiler])
        (home / "data.py").write_text(DATA)
        newcomer = Newcomer(home, can_hide())
        try:
            yield newcomer
        finally:
            newcomer._run(f"gradmote flash --stop {BOARD}")


def processor_seconds() -> float:
    """Return the seconds that a core worked for finished commands."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def make_programs(folder: Path, names: Sequence[str]) -> None:
    """Make the folder of all programs on PATH."""
    folder.mkdir()
    for name in names:
        found = shutil.which(name)
        if found is None:
            raise Failed(f"{name} is not installed here: ./run setup installs it")
        (folder / name).symlink_to(found)
    python = folder / "python3"
    python.write_text(f'#!/bin/sh\nexec "{base_python()}" "$@"\n')
    python.chmod(0o755)


def base_python() -> str:
    """Return the Python from which this one's virtual environment was made."""
    return str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())


def installed(prefix: str) -> list[Path]:
    """Return the programs on PATH with this prefix."""
    found = shutil.which(f"{prefix}gcc")
    return sorted(Path(found).parent.glob(f"{prefix}*")) if found else []


def can_hide() -> bool:
    """Return whether the checkout can be hidden, and Python is outside of it."""
    command = [*HIDING, SHELL, "-c", ":"]
    works = UNSHARE and subprocess.run(command, capture_output=True, check=False).returncode == 0
    return bool(works) and not Path(base_python()).is_relative_to(ROOT)


def fitting_wheel(wheels: Path) -> Path:
    """Return the wheel of gradmote that pip accepts here. Raises Failed."""
    with tempfile.TemporaryDirectory() as name:
        options = ["--quiet", "--no-index", "--no-deps", "--find-links", str(wheels), "--dest", name]
        command = [sys.executable, "-m", "pip", "download", *options, "gradmote"]
        done = subprocess.run(command, env=without_links(), capture_output=True, text=True, check=False)
        found = list(Path(name).glob("*.whl"))
        if not found:
            raise Failed(f"no wheel of gradmote in {wheels} fits this Python: {done.stderr.strip()}")
        return wheels / found[0].name


def without_links() -> dict[str, str]:
    """Return this process's variables without pip's other places for wheels."""
    return {name: value for name, value in os.environ.items() if name != "PIP_FIND_LINKS"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(description="Runs the first hour of an installed gradmote.")
    parser.add_argument("wheels", nargs="?", type=Path, help="a folder with wheels of gradmote; else one is made")
    parser.add_argument("--clang", action="store_true", help="no GCC: ziglang's clang builds the firmware")
    parser.add_argument("--page", action="store_true", help=f"write the transcript into {PAGE.relative_to(ROOT)}")
    given = parser.parse_args(arguments)
    try:
        transcript, seconds = first_hour(given.wheels or own_wheels(), given.clang)
    except Failed as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if given.page:
        PAGE.write_text(TRANSCRIPT.sub(lambda found: "\n".join([*transcript, ""]), PAGE.read_text()))
    print(f"all of it worked; the installation took {seconds:.1f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
