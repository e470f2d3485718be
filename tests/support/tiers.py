"""Selects the tests of `./run test --fast`: those that need neither a board nor a compiler, and are quick.

A test needs a board if it uses a fixture for one or is marked so. It needs the toolchain if its folder compiles C, or
its file imports something that does. It is slow if it took long when tests/durations.json was recorded.
"""

from __future__ import annotations

import pytest

from .durations import place_of, recorded

#: The seconds from which on a test function is slow.
LIMIT = 0.5
#: Fixtures that build the firmware.
OF_BOARDS = {"firmware", "emulator", "board", "part", "elf"}
#: Folders whose tests compile C, for this computer or for others, or run compiled programs.
OF_TOOLCHAIN = ("bench", "bindings", "c/arch", "c/runtime", "c/threads", "device/sbc", "fuzz", "studio", "toolchain")
#: Modules that build firmware or compile C; a test file that needs that imports from one of them.
BUILDERS = (
    "support.firmware",
    "support.guarded_program",
    "support.npm_package",
    "support.objects",
    "fuzz.campaign",
    "fuzz.conversing",
)


def mark(items: list[pytest.Item]) -> None:
    """Give each test the markers for its needs."""
    for item in items:
        file, function = place_of(item.nodeid)
        compiles = file.startswith(tuple(f"tests/{folder}/" for folder in OF_TOOLCHAIN))
        is_of_device = file.startswith("tests/device/") and not compiles
        if is_of_device and OF_BOARDS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("device")
        if compiles or (not is_of_device and has_builders(item)):
            item.add_marker("toolchain")
        if is_slow(file, function):
            item.add_marker("slow")


def has_builders(item: pytest.Item) -> bool:
    """Return whether the file of a test imports something that builds firmware or compiles C."""
    names = vars(item.getparent(pytest.Module).obj).values() if item.getparent(pytest.Module) else ()
    return any(
        getattr(value, "__module__", "") in BUILDERS or getattr(value, "__name__", "") in BUILDERS for value in names
    )


def is_slow(file: str, function: str) -> bool:
    """Return whether a test function took long, over all the parameters of a plain run."""
    return recorded().get(file, {}).get(function, 0.0) >= LIMIT
