"""Decides which tests go to one process of `pytest -n` together, and which go first.

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
    "tests/toolchain/pio/test_arduino_boards.py": "pio",
    "tests/toolchain/pio/test_firmware.py": "pio",
    "tests/toolchain/pio/test_library.py": "pio",
    "tests/toolchain/pio/test_new_project.py": "pio",
}
#: Files that build something for each of their parameters, and nothing for all: a group for each.
SPLIT = ("tests/toolchain/runtime_build/test_compilers.py", "tests/toolchain/runtime_build/test_static_analysis.py")
#: Group -> seconds of one core, roughly: for those that take long, the order alone counts.
SECONDS = {
    "pio": 170,
    "tests/device/sbc/test_command_line.py": 150,
    "fuzz": 135,
    "tests/c/arch/test_simd.py": 130,
    "tests/toolchain/runtime_build/test_other_forms.py": 130,
    "tests/c/arch/test_quantized_on_cortex_m.py": 100,
    "tests/numeric/models/test_transformers.py": 90,
    "tests/toolchain/numerics_bits/test_compilers_agree.py": 90,
    "tests/c/threads/test_split.py": 70,
    "tests/c/arch/test_drawn_on_cortex_m.py": 70,
    "tests/c/arch/test_drawn_on_riscv.py": 60,
    "tests/fuzz/test_generated_images.py": 70,
    "tests/toolchain/runtime_build/test_arduino_boards.py": 70,
    "tests/numeric/models/test_against_torch.py": 65,
    "tests/toolchain/runtime_build/test_compilers.py: clang-strict": 55,
    "tests/numeric/operators/test_recurrent.py": 45,
    "tests/c/runtime/numerics_test.py": 40,
    "tests/bench/test_speed.py": 40,
    "tests/device/sbc/test_console.py": 40,
    "tests/device/test_firmware_for_one_model.py": 35,
    "tests/toolchain/runtime_build/test_compilers.py: gcc-fused": 30,
    "tests/bench/test_memory.py": 30,
    "tests/bindings/test_same_models.py": 30,
    "tests/toolchain/runtime_build/test_static_analysis.py: test_gcc_analyzer": 30,
    "tests/numeric/operators/test_normalization.py": 25,
    "tests/toolchain/runtime_build/test_static_analysis.py: test_open": 25,
    "tests/toolchain/runtime_build/test_compilers.py: cortex-m55": 25,
    "tests/bench/test_teach_a_class.py": 25,
    "tests/unit/analyze/test_cost.py": 25,
    "tests/device/test_signed.py": 20,
    "tests/numeric/onnx_backend/test_node_suite.py": 20,
    "tests/device/test_every_board.py": 20,
    "tests/toolchain/runtime_build/test_inference_only.py": 20,
    "tests/device/sbc/test_python_package.py": 20,
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
