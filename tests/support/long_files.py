"""Chooses the files of tests that a plain run of everything leaves to other days: [files] of tests/sampling.toml.

A file that takes longer than the limit there has its day once in so many days. One that changed today is run anyway.
Whoever names a file, a folder or a marker runs it: this is about `./run test` alone.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from datetime import date
from functools import cache

import pytest

from .durations import ROOT, recorded
from .sampling import of_the_turn, share_of_days, table


def is_run_of_all(config: pytest.Config) -> bool:
    """Return whether the command line selects nothing, and records no durations."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS or config.option.markexpr or config.option.keyword
    return not named and not config.getoption("--record-durations")


def resting_files(seed: int, changed: Iterable[str]) -> set[str]:
    """Return the files whose day it is not. changed: those that are run anyway."""
    due = of_the_turn(days(), 1, seed, "files")
    return {file for day in days() if day not in due for file in day}.difference(changed)


def share_of_file(file: str) -> float:
    """Return on which share of days a file runs: 1 if it is quick."""
    return 1 / len(days()) if any(file in day for day in days()) else 1.0


@cache
def days() -> list[list[str]]:
    """Return the long files of each day. The longest are dealt first, so that days take about as long."""
    seconds = {file: seconds_on_its_day(file) for file in recorded()}
    long = sorted((file for file in seconds if seconds[file] > table()["files"]["seconds"]), key=lambda f: -seconds[f])
    every = table()["files"]["days"]
    dealt: list[list[str]] = [[] for _ in range(every)]
    for file in long:
        min(dealt, key=lambda day: sum(seconds[other] for other in day)).append(file)
    return dealt


def seconds_on_its_day(file: str) -> float:
    """Return the seconds of a file's tests; those that take turns count in part."""
    return sum(seconds * share_of_days(f"{file}::{name}") for name, seconds in recorded()[file].items())


def changed_files() -> list[str]:
    """Return the files of tests that differ from yesterday's last commit; none if git does not know."""
    last = lines_of("rev-list", "-1", f"--before={date.today().isoformat()}T00:00", "HEAD")
    return lines_of("diff", "--name-only", last[0], "--", "tests") if last else []


def lines_of(*command: str) -> list[str]:
    """Return what git prints of this checkout; nothing if there is no git, or the checkout is none of its own."""
    try:
        done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return done.stdout.split()
