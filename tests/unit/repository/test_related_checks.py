"""Every file of the repository has tests, and not all of them: `./run check PATH`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import related_checks
from related_checks import MOST, checks_of, files_of, rule_of

FOLDERS = ("arduino", "bindings", "docs", "examples", "firmware", "host_tools", "runtime_c", "site_scons", "tests")


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_has_tests_that_exist(root: Path, folder: str) -> None:
    for file in files_of(str(root / folder)):
        tests = related_checks.tests_of(file)
        assert tests or rule_of(file).targets, file
        assert len(tests) <= MOST + 1, file
        assert all((root / test).exists() for test in tests), (file, tests)


@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("runtime_c/kernels/softmax.c", "tests/numeric/operators/test_softmax.py"),
        ("runtime_c/kernels/conv_update.c", "tests/numeric/operators/test_conv.py"),
        ("runtime_c/kernels/optimizers/adam.c", "tests/numeric/optimizers/test_formulas.py"),
        ("runtime_c/kernels/arch/helium/gemm.c", "tests/c/arch/test_drawn_on_cortex_m.py"),
        ("runtime_c/kernels/arch/riscv/gemm.c", "tests/c/arch/test_drawn_on_riscv.py"),
        ("runtime_c/spec/opcodes.toml", "tests/unit/repository/test_generated.py"),
        ("host_tools/gradmote/operators/lstm.py", "tests/numeric/operators/test_recurrent.py"),
        ("host_tools/gradmote/compiler/passes/recompute.py", "tests/unit/passes/test_recompute.py"),
        ("host_tools/gradmote/plan/exact.py", "tests/unit/plan/test_exact.py"),
        ("bindings/js/src/serial/frames.ts", "tests/bindings/test_serial.py"),
        ("firmware/src/console/handle_rounds.c", "tests/device/test_rounds.py"),
        ("firmware/src/training/teach.c", "tests/device/test_teach.py"),
        ("firmware/boards/nrf51/microbit/board.toml", "tests/device/test_every_board.py"),
        ("bindings/threads/gm_threads.c", "tests/c/threads/test_split.py"),
        ("examples/watch.py", "tests/unit/examples/test_watch.py"),
        ("tests/unit/repository/test_related_checks.py", "tests/unit/repository/test_related_checks.py"),
        ("tests/support/small_elf.py", "tests/regression/test_firmware_of_another_board.py"),
    ],
)
def test_of_a_file(file: str, test: str) -> None:
    assert test in related_checks.tests_of(file)


def test_a_kernel_concerns_the_c_tests_too(root: Path) -> None:
    found = checks_of([str(root / "runtime_c/kernels/softmax.c")])
    assert found.targets == ("test_c",) and found.python == ()


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds of tests that there are: 1 and 3 of two files, 30 of a third."""
    seconds = {"tests/unit/plan/test_arena.py": {"test_a": 1.0}, "tests/unit/plan/test_exact.py": {"test_b": 3.0},
               "tests/unit/plan/test_overlays.py": {"test_c": 10.0, "others": 20.0}}  # fmt: skip
    monkeypatch.setattr(related_checks, "durations", lambda: seconds)


def test_what_takes_longer_is_left_out(recorded) -> None:
    short, medium, long = (f"tests/unit/plan/test_{name}.py" for name in ("arena", "exact", "overlays"))
    assert related_checks.within([medium, long, short], 20) == ([medium, short], [long])
    assert related_checks.within([long, short], 20) == ([long], [short]), "the first is always run"
    assert related_checks.within(["tests/unit/plan"], 40) == (["tests/unit/plan"], [])
    kept, left_out = related_checks.within(["tests/unit/plan"], 20)
    assert {short, medium} < set(kept) and left_out == [long]


def test_of_a_folder_each_test_is_run_once(root: Path) -> None:
    found = checks_of([str(root / "host_tools/gradmote/plan"), str(root / "tests/unit/plan/test_arena.py")])
    assert len(set(found.tests)) == len(found.tests)
    assert "host_tools/gradmote/plan/arena.py" in found.python


def test_what_is_not_there_is_refused(root: Path) -> None:
    for path in ("no_such_file.c", str(root.parent)):
        with pytest.raises(FileNotFoundError):
            checks_of([path])
    done = subprocess.run(
        [root / "run", "check", "no_such_file.c"], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "there is no no_such_file.c" in done.stdout
