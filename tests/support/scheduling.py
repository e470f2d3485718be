"""Decides which tests go to one process of `pytest -n` together, and which go first.

A file's tests go together, since they share what the file builds; long files go first, so that no process works long
after the others. (The groups of pytest-xdist's own --dist loadgroup do not exist any more with pytest 9.2.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pytest
from xdist.scheduler import LoadScopeScheduling

from .durations import of_file

#: Files that share a slow build -> their group.
TOGETHER = {
    "tests/fuzz/test_fuzz.py": "fuzz",
    "tests/regression/test_what_the_line_may_do.py": "fuzz",
    "tests/toolchain/pio/test_arduino_boards.py": "pio",
    "tests/toolchain/pio/test_firmware.py": "pio",
    "tests/toolchain/pio/test_library.py": "pio",
    "tests/toolchain/pio/test_new_project.py": "pio",
}
#: Files that build something for each of their parameters, but nothing for all: a group for each.
SPLIT = ("tests/toolchain/runtime_build/test_compilers.py", "tests/toolchain/runtime_build/test_static_analysis.py")


class Together(LoadScopeScheduling):
    """Hands out whole groups, in the order in which their tests were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    file, _, test = nodeid.partition("::")
    name, _, parameters = test.partition("[")
    return f"{file}: {parameters.removesuffix(']') or name}" if file in SPLIT else TOGETHER.get(file, file)


def long_first(items: list[pytest.Item]) -> None:
    """Put the tests of long groups at the front. The groups of one file count as long as the whole file."""
    seconds = seconds_of_groups(item.nodeid for item in items)
    items.sort(key=lambda item: -seconds[group_of(item.nodeid)])


def seconds_of_groups(nodeids: Iterable[str]) -> dict[str, float]:
    files: dict[str, set[str]] = defaultdict(set)
    for nodeid in nodeids:
        files[group_of(nodeid)].add(nodeid.partition("::")[0])
    return {group: sum(map(of_file, members)) for group, members in files.items()}
