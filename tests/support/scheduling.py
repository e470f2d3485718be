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
#: Group -> seconds of one core, roughly: for those that take long, the order alone counts.
SECONDS = {
    "fuzz": 150,
    "tests/numerics_bits/test_compilers_agree.py": 90,
    "pio": 90,
    "tests/arch/test_simd.py": 60,
    "tests/arch/test_drawn_on_cortex_m.py": 50,
    "tests/runtime_build/test_other_forms.py": 50,
    "tests/runtime_build/test_static_analysis.py: test_gcc_analyzer": 45,
    "tests/threads/test_split.py": 50,
    "tests/analyze/test_cost.py": 40,
    "tests/runtime_build/test_arduino_boards.py": 40,
    "tests/runtime_build/test_static_analysis.py: test_cppcheck": 40,
    "tests/bench/test_memory.py": 40,
    "tests/onnx_backend/test_node_suite.py": 40,
    "tests/analyze/test_analyze.py": 30,
    "tests/bench/test_mlp_on_cortex_m4.py": 30,
    "tests/device/test_every_board.py": 30,
    "tests/device/test_power_cuts.py": 30,
    "tests/runtime_build/test_inference_only.py": 30,
    "tests/sbc/test_python_package.py": 30,
}


class Together(LoadScopeScheduling):
    """Hands out whole groups, in the order in which their tests were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    file, _, test = nodeid.partition("::")
    name, _, parameters = test.partition("[")
    return f"{file}: {parameters.removesuffix(']') or name}" if file in SPLIT else TOGETHER.get(file, file)


def long_first(items: list[pytest.Item]) -> None:
    """Puts the tests of long groups at the front."""
    items.sort(key=lambda item: -SECONDS.get(group_of(item.nodeid), 0))
