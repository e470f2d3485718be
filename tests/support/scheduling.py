"""Which tests go to one process of `pytest -n` together, and which go first.

A file's tests go together, since they share what the file builds; the long files go first, so that no process works
long after the others. (The groups of pytest-xdist's own --dist loadgroup are no more with pytest 9.2.)
"""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadScopeScheduling

#: Files that share what takes long to build -> their group.
TOGETHER = {
    "tests/fuzz/test_fuzz.py": "fuzz",
    "tests/regression/test_what_the_line_may_do.py": "fuzz",
    "tests/pio/test_arduino_boards.py": "pio",
    "tests/pio/test_firmware.py": "pio",
    "tests/pio/test_library.py": "pio",
    "tests/pio/test_new_project.py": "pio",
}
#: Files that build something for each of their parameters, and nothing for all: a group for each.
SPLIT = ("tests/runtime_build/test_compilers.py", "tests/runtime_build/test_static_analysis.py")
#: Group -> seconds on one idle core, of those that take long.
SECONDS: dict[str, int] = {}


class Together(LoadScopeScheduling):
    """Hands out whole groups, in the order in which their tests were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    file, _, test = nodeid.partition("::")
    name, _, parameters = test.partition("[")
    return f"{file}[{parameters or name}" if file in SPLIT else TOGETHER.get(file, file)


def long_first(items: list[pytest.Item]) -> None:
    """Puts the tests of long groups at the front."""
    items.sort(key=lambda item: -SECONDS.get(group_of(item.nodeid), 0))
