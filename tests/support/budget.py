"""The seconds that the tests of each folder take on an average day, beside tests/budget.toml.

`python -m support.budget` and `scons accept ONLY=durations` measure all files and print them; with --show, it prints
what was recorded.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict

import tomllib

from .durations import ROOT, Seconds, read
from .long_files import share_of_file
from .sampling import share_of_days

BUDGET = ROOT / "tests" / "budget.toml"


def by_folder(seconds: Seconds) -> dict[str, float]:
    """Return the seconds of each folder of tests/ on an average day: tests that take turns count in part."""
    folders: dict[str, float] = defaultdict(float)
    for file, functions in seconds.items():
        shares = {name: share_of_file(file) * share_of_days(f"{file}::{name}") for name in functions}
        folders[file.split("/")[1]] += sum(functions[name] * share for name, share in shares.items())
    return dict(folders)


def budget() -> dict[str, float]:
    """Return the seconds allowed for the tests of each folder."""
    return tomllib.loads(BUDGET.read_text())["seconds"]


def table(seconds: Seconds) -> str:
    """Return the seconds of each folder beside its budget, as lines."""
    allowed, taken = budget(), by_folder(seconds)
    rows = [f"{folder:12}{taken.get(folder, 0):8.0f}{allowed.get(folder, 0):8.0f}" for folder in sorted(taken)]
    total = f"{'all':12}{sum(taken.values()):8.0f}{sum(allowed.values()):8.0f}"
    return "\n".join([f"{'tests/':12}{'seconds':>8}{'budget':>8}", *rows, total])


def record() -> int:
    """Measure all tests. Return pytest's exit status."""
    workers = (os.cpu_count() or 1) + 1
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "--record-durations"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    status = 0 if sys.argv[1:] == ["--show"] else record()
    print(table(read()))
    return status


if __name__ == "__main__":
    raise SystemExit(main())
