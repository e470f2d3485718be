"""A mutated file has tests that name it, and folders that could notice it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import related_checks

from mutants import concerned
from mutants.concerned import all_folders, folders, likely_checks, most_alike, reached_from, sampled_files

DURATIONS = {"tests/toolchain/pio/test_a.py": {"test": 2.5, "others": 1}, "tests/toolchain/test_pip.py": {"test": 4}}
FILES = {
    "host_tools/gradmote/__init__.py": 'FOUND_IN = {"Session": "gradmote.session:Session"}\n',
    "host_tools/gradmote/session.py": "def run():\n    from .compiler import steps\n",
    "host_tools/gradmote/compiler/__init__.py": "",
    "host_tools/gradmote/compiler/steps.py": "from gradmote_runtime import Session\n",
    "host_tools/gradmote/operators/__init__.py": "",
    "host_tools/gradmote/operators/pad.py": "",
    "host_tools/gradmote/cli/__init__.py": "from gradmote import operators\n",
    "bindings/python/gradmote_runtime/__init__.py": "",
    "tests/sampling.toml": '"tests/unit/commands/test_pad.py::test" = "pairs"\n',
    "tests/support/draws.py": "from hypothesis import given\n",
    "tests/support/npm_package.py": "",
    "tests/support/steps.py": "import gradmote\n",
    "tests/toolchain/test_pip.py": "",
    "tests/toolchain/pio/test_a.py": "",
    "tests/unit/steps/test_steps.py": "from support.steps import a\n",
    "tests/unit/steps/test_drawn.py": "from support.draws import given\n",
    "tests/unit/names/test_names.py": "import os.path\n",
    "tests/unit/commands/test_pad.py": "run('gradmote', 'compile')\n",
    "tests/bindings/test_node.py": "from support import npm_package\n",
    "tests/c/runtime/half_test.py": "",
    "tests/device/sbc/test_line.py": "",
    "tests/flower/test_watches.py": "import gradmote\n",
}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A project of a few files."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(concerned, "ROOT", tmp_path)
    forget()
    yield
    forget()


def forget() -> None:
    for function in (concerned.all_folders, reached_from, concerned.imports_of, concerned.files_of_module):
        function.cache_clear()


def test_likely_checks() -> None:
    found = likely_checks("runtime_c/kernels/optimizers/adamw_ort.c")
    assert found[0].startswith("tests/numeric/optimizers/test_") and found[-1] == "scons test_c"
    assert likely_checks("host_tools/gradmote/compiler/passes/recompute.py")[0] == "tests/unit/passes/test_recompute.py"


def test_what_needs_an_environment_of_its_own_is_not_likely() -> None:
    found = likely_checks("host_tools/gradmote/formats/rounds.py")
    assert found and not [check for check in found if check.startswith("tests/flower")]


def test_of_a_folder_those_count_that_are_most_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concerned, "ROOT", tmp_path)
    tests = [f"test_{number}.py" for number in range(9)]
    for number, test in enumerate(tests):
        (tmp_path / test).write_text("fused GEMM " * number)
    assert most_alike(tests, "passes/fuse_gemm.py") == tests[:0:-1]


@pytest.mark.usefixtures("small")
def test_folders_of_tests() -> None:
    units = ["tests/unit/commands", "tests/unit/names", "tests/unit/steps"]
    toolchain = ["tests/toolchain/pio", "tests/toolchain/test_pip.py"]
    assert all_folders() == ["tests/bindings", "tests/c/runtime", "tests/device", *toolchain, *units]


def test_seconds_of_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(related_checks, "durations", lambda: DURATIONS)
    checks = ("tests/toolchain/pio", "tests/toolchain/test_pip.py", "scons test_c")
    assert [related_checks.seconds_of(check) for check in checks] == [3.5, 4, 0]


@pytest.mark.usefixtures("small")
def test_files_that_are_sampled() -> None:
    assert sampled_files("tests/unit/commands") == ["tests/unit/commands/test_pad.py"]
    assert sampled_files("tests/unit/steps") == ["tests/unit/steps/test_drawn.py"]
    assert sampled_files("tests/unit/names") == sampled_files("scons test_c") == []


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("file", "found"),
    [
        ("host_tools/gradmote/compiler/steps.py", ["tests/unit/commands", "tests/unit/steps"]),
        ("host_tools/gradmote/operators/pad.py", ["tests/unit/commands"]),
        ("bindings/js/src/session.ts", ["tests/bindings"]),
        ("bindings/shared/gm_handle.c", ["tests/bindings", "tests/c/runtime", "scons test_c"]),
        ("runtime_c/kernels/arch/arm_m/gemm.c", ["tests/bindings", "tests/c/runtime", "tests/device"]),
    ],
)
def test_folders(file: str, found: list[str]) -> None:
    assert folders(file)[: len(found)] == found


@pytest.mark.usefixtures("small")
def test_a_kernel_concerns_what_steps() -> None:
    found = folders("runtime_c/kernels/gelu.c")
    assert "tests/unit/steps" in found and "tests/unit/names" not in found and found[-1] == "scons test_c"
