"""How long tests take: tests/durations.json has the processor seconds of each function, over all the parameters in a
plain run, and of each file's quick ones together. The scheduler, the tiers, the budget and the days of long files read
it.

`pytest --record-durations` measures the tests that run; `scons accept ONLY=durations` measures all files.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DURATIONS = ROOT / "tests" / "durations.json"
#: Seconds below which a function counts among the quick ones of its file.
QUICK = 0.2
#: The name of the quick ones.
OTHERS = "others"

#: File -> function -> seconds.
Seconds = dict[str, dict[str, float]]


@cache
def recorded() -> Seconds:
    """Return the records as they were when this process first asked."""
    return read()


def read() -> Seconds:
    return json.loads(DURATIONS.read_text())


def of_file(file: str) -> float:
    """Return the seconds of all tests of a file, 0 if it was never measured."""
    return sum(recorded().get(file, {}).values())


def place_of(nodeid: str) -> tuple[str, str]:
    """Return the file of a test and its function, without parameters."""
    file, _, test = nodeid.partition("::")
    return file, test.partition("[")[0]


# ---- Recording -----------------------------------------------------------------------------------------------------


class Recorder:
    """Writes tests/durations.json from the tests that run; files without any of them keep their entries."""

    def __init__(self, writes: bool) -> None:
        self.writes, self.began = writes, 0.0
        self.seconds: Seconds = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self):
        self.began = processor_seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item):
        result = yield
        item.user_properties.append(("processor_seconds", processor_seconds() - self.began))
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            file, function = place_of(report.nodeid)
            functions = self.seconds.setdefault(file, {})
            taken = dict(report.user_properties).get("processor_seconds", 0.0)
            functions[function] = functions.get(function, 0.0) + taken

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the file, except after an interrupted run."""
        if self.writes and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            lines = json.dumps(merged(recorded(), self.seconds), indent=1, sort_keys=True)
            DURATIONS.write_text(lines + "\n")


def merged(before: Seconds, now: Seconds) -> Seconds:
    """Return earlier records of files that still exist, replaced by the new measurements."""
    files = {file: functions for file, functions in before.items() if (ROOT / file).exists()}
    return files | {file: without_quick(functions) for file, functions in now.items()}


def without_quick(functions: dict[str, float]) -> dict[str, float]:
    """Return the functions that are not quick, and the sum of the others."""
    kept = {name: round(seconds, 1) for name, seconds in functions.items() if seconds >= QUICK}
    others = sum(seconds for name, seconds in functions.items() if name not in kept)
    return {**kept, OTHERS: round(others, 1)}


def processor_seconds() -> float:
    """Return the seconds of this process and of its finished children; other work on the computer does not count."""
    return sum(os.times()[:4])
