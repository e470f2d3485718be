"""Runs checks in the scratch checkout. A check is a file or folder of tests, one test, or `scons TARGET`."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import scratch
from .recorder import EVENTS

SCONS = "scons "
#: Exit statuses of pytest: all passed, some failed or were not even collected.
PASSED, FAILED, INTERRUPTED, USAGE, NO_TESTS = 0, 1, 2, 4, 5


@dataclass(frozen=True)
class Run:
    """The outcome of a run. `how` is "passed", "failed", "timeout" or "crash"; seconds are those of each file."""

    how: str
    failed: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    output: str = ""


def run(checks: Sequence[str], whole: bool, seconds: float, options: Sequence[str] = ()) -> Run:
    """Run checks: those of pytest in one process, in their order, then those of SCons.

    With -x among the options, what follows the first failure is not run.
    """
    tests = [check for check in checks if not check.startswith(SCONS)]
    done = run_pytest(tests, whole, seconds, options) if tests else Run("passed")
    for check in (check for check in checks if check.startswith(SCONS)):
        if done.how != "passed":
            return done
        done = run_scons(check, seconds)
    return done


def run_scons(check: str, seconds: float) -> Run:
    done = scratch.scons(check.removeprefix(SCONS), seconds=seconds)
    how = "timeout" if done.status is None else "failed" if done.status else "passed"
    return Run(how, (check,) if how != "passed" else (), output=done.output)


def run_pytest(tests: Sequence[str], whole: bool, seconds: float, options: Sequence[str]) -> Run:
    """Run tests. Ends the program if pytest refuses to run them."""
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / "events"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "mutants.recorder"]
        more = {EVENTS: str(events), **({scratch.WHOLE: "1"} if whole else {})}
        done = scratch.run([*command, *options, *tests], seconds, more)
        found = [json.loads(line) for line in events.read_text().splitlines()] if events.exists() else []
    if done.status == USAGE and not found:
        raise SystemExit(f"pytest does not run {' '.join(tests)}:\n{done.output}")
    return of_events(found, done)


def of_events(events: Sequence[Sequence[object]], done: scratch.Done) -> Run:
    """Return what a run of pytest came to, by its events. A crash is put on the test that began last."""
    taken: dict[str, float] = {}
    for kind, test, *duration in events:
        if kind != "started" and duration:
            file = str(test).partition("::")[0]
            taken[file] = taken.get(file, 0.0) + float(str(duration[0]))
    failed = [str(test) for kind, test, *_ in events if kind == "failed"]
    last = [str(test) for kind, test, *_ in events if kind == "started"][-1:]
    times = {file: round(seconds, 2) for file, seconds in taken.items()}
    if done.status in (PASSED, NO_TESTS):
        return Run("passed", (), times, done.output)
    if done.status is None:
        return Run("timeout", tuple(failed or last), times, done.output)
    how = "failed" if done.status in (FAILED, INTERRUPTED) else "crash"
    return Run(how, tuple(dict.fromkeys(failed or last)), times, done.output)
