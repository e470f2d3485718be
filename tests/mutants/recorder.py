"""A plugin of pytest that writes what happens into the file that MUTANTS_EVENTS names, while it happens.

Each line is a list of JSON: what, the test, seconds.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

import pytest

EVENTS = "MUTANTS_EVENTS"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # pytest-xdist's processes report to this one
        config.pluginmanager.register(Recorder(os.environ[EVENTS]))


class Recorder:
    """Writes a line for each test that begins or fails, and for the seconds of each of its parts."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._left = b""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._write("started", nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._write("failed" if report.failed else "ran", report.nodeid, report.duration)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._write("failed", report.nodeid)

    def _write(self, *event: object) -> None:
        """Write as much as goes into the file, and the rest with a later event: some tests let no file grow."""
        self._left += (json.dumps(event) + "\n").encode()
        with suppress(OSError), open(self._path, "ab", buffering=0) as file:
            self._left = self._left[file.write(self._left) or 0 :]
