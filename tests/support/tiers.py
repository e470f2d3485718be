"""Selects the tests of `./run test --fast`: those that need neither a board nor a compiler, and that do not take long.

A test needs a board where it asks for one by a fixture or is marked so. It needs the toolchain where its folder
compiles C, or its file imports something that does. It is slow where tests/slow.json says so. `pytest --record-slow`
writes that file: for each function, the seconds of the processor that it takes with all its parameters.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLOW = ROOT / "tests" / "slow.json"
#: Seconds of a test function from which on it is slow.
LIMIT = 1.0
#: Fixtures that build the firmware.
OF_BOARDS = {"firmware", "emulator", "board", "part", "elf"}
#: Folders whose tests compile C, for this computer or for others, or run what was compiled.
OF_TOOLCHAIN = ("bench", "bindings", "c/arch", "c/runtime", "c/threads", "device/sbc", "fuzz", "studio", "toolchain")
#: Modules of which a file of tests has something where it builds firmware or compiles C.
BUILDERS = (
    "support.firmware",
    "support.guarded_program",
    "support.npm_package",
    "support.objects",
    "fuzz.campaign",
    "fuzz.conversing",
)


def mark(items: list[pytest.Item]) -> None:
    """Give each test the markers of what it needs."""
    for item in items:
        file, function = place_of(item.nodeid)
        compiles = file.startswith(tuple(f"tests/{folder}/" for folder in OF_TOOLCHAIN))
        is_of_device = file.startswith("tests/device/") and not compiles
        if is_of_device and OF_BOARDS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("device")
        if compiles or (not is_of_device and has_builders(item)):
            item.add_marker("toolchain")
        if function in slow_functions().get(file, {}):
            item.add_marker("slow")


def has_builders(item: pytest.Item) -> bool:
    """Return whether the file of a test imports something that builds firmware or compiles C."""
    names = vars(item.getparent(pytest.Module).obj).values() if item.getparent(pytest.Module) else ()
    return any(
        getattr(value, "__module__", "") in BUILDERS or getattr(value, "__name__", "") in BUILDERS for value in names
    )


def place_of(nodeid: str) -> tuple[str, str]:
    """Return the file of a test and its function, without parameters."""
    file, _, test = nodeid.partition("::")
    return file, test.partition("[")[0]


@cache
def slow_functions() -> dict[str, dict[str, float]]:
    """Return the slow functions of each file, with their seconds."""
    return json.loads(SLOW.read_text())


class Recorder:
    """Writes tests/slow.json from the seconds of the tests that are run; other tests keep theirs."""

    def __init__(self, writes: bool) -> None:
        self.writes, self.began = writes, 0.0
        self.seconds: dict[tuple[str, str], float] = {}

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
        taken = dict(report.user_properties).get("processor_seconds", 0.0) if report.when == "teardown" else 0.0
        place = place_of(report.nodeid)
        self.seconds[place] = self.seconds.get(place, 0.0) + taken

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the file, but not after a run that broke off."""
        if self.writes and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            SLOW.write_text(json.dumps(self.merged(slow_functions()), indent=1, sort_keys=True) + "\n")

    def merged(self, before: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        """Return what is slow now: of the tests that were run, and of those that were not."""
        files = {file: dict(functions) for file, functions in before.items() if (ROOT / file).exists()}
        for (file, function), seconds in self.seconds.items():
            files.setdefault(file, {}).pop(function, None)
            if seconds >= LIMIT:
                files[file][function] = round(seconds, 1)
        return {file: functions for file, functions in files.items() if functions}


def processor_seconds() -> float:
    """Return the seconds of this process and of those that it waited for; other work on the computer does not count."""
    return sum(os.times()[:4])
