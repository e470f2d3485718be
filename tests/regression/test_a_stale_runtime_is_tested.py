"""A runtime that was compiled before its sources changed was tested as if it were theirs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import runtime_sources
from runtime_sources import stale_modules

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("site_scons", "runtime_c", "bindings")
#: What conftest.py is made of.
SHARED = ("conftest.py", "durations.json", "sampling.toml", "support/__init__.py",
          *(f"support/{name}.py" for name in ("durations", "sampling", "tiers")))  # fmt: skip
ONE_TEST = "def test_nothing():\n    pass\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of what the runtime is made of, with the compiled modules and one test."""
    for part in PARTS:
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for shared in SHARED:
        (tmp_path / "tests" / shared).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "tests" / shared, tmp_path / "tests" / shared)
    (tmp_path / "tests" / "test_nothing.py").write_text(ONE_TEST)
    return tmp_path


def run_tests(checkout: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)


def test_the_runtime_of_these_sources_is_tested(checkout: Path) -> None:
    done = run_tests(checkout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_runtime_of_other_sources_is_refused(checkout: Path) -> None:
    with (checkout / "runtime_c" / "kernels" / "relu.c").open("a") as kernel:
        kernel.write("\n")
    done = run_tests(checkout)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "_fused and _strict" in done.stderr and "./run build" in done.stderr


def test_a_runtime_that_is_not_compiled_is_refused(checkout: Path) -> None:
    for module in (checkout / "bindings" / "python" / "gradmote_runtime").glob("_strict.*"):
        module.unlink()
    done = run_tests(checkout)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "_strict in" in done.stderr and "./run build" in done.stderr


SOURCES = ("runtime_c/src/open.c", "runtime_c/kernels/rows.h", "runtime_c/include/gm_config.h",
           "runtime_c/generated/gm_opcodes.c", "bindings/threads/gm_threads.c", "bindings/python/host.c",
           "bindings/python/build_runtime.py", "site_scons/runtime_sources.py")  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
def test_each_kind_of_source_counts(checkout: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers, generated files, the binding and the flags are compiled into the modules as kernels are."""
    for name, place in (
        ("ROOT", ""),
        ("RUNTIME", "runtime_c"),
        ("THREADS", "bindings/threads"),
        ("BINDING", "bindings/python"),
    ):
        monkeypatch.setattr(runtime_sources, name, checkout / place)
    monkeypatch.setattr(runtime_sources, "__file__", str(checkout / "site_scons" / "runtime_sources.py"))
    modules = checkout / "bindings" / "python" / "gradmote_runtime"
    assert stale_modules(modules) == []
    with (checkout / source).open("a") as file:
        file.write("\n")
    assert stale_modules(modules) == ["_fused", "_strict"]
