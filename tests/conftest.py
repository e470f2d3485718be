"""Sets up what all tests share: import paths, Hypothesis profiles, markers, the order of tests, and common fixtures."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "site_scons"), str(ROOT / "bindings" / "python"), str(ROOT / "tests")]
sys.path.append(str(ROOT / "examples"))

pytest_plugins = ["pytester"]

# A shell starts what runs in its background with Ctrl-C ignored, and every program that a test starts would inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# CI draws the same examples in every run, and does not judge by time: its machines are shared.
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-slow", action="store_true", help="write tests/slow.json: tests that take long")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--record-slow"):
        from support.tiers import Recorder

        config.pluginmanager.register(Recorder(writes=not hasattr(config, "workerinput")))
    refuse_stale_runtime(config)


def refuse_stale_runtime(config: pytest.Config) -> None:
    """Refuse to test a runtime that was compiled from other sources than those of this checkout."""
    from runtime_sources import stale_modules

    found = find_spec("gradmote_runtime")
    folder = Path(found.origin).parent if found and found.origin else ROOT
    stale = "" if hasattr(config, "workerinput") else " and ".join(stale_modules(folder))
    if stale:
        raise pytest.UsageError(f"{stale} in {folder} were not compiled from the sources as they are now: ./run build")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """Hands out tests as support/scheduling.py says, unless --dist asks for something else."""
    from support.scheduling import Together

    config.option.loadscopereorder = False
    return Together(config, log) if config.getoption("dist") == "load" else None


@pytest.hookimpl(tryfirst=True)  # -m selects by the markers
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    from support.tiers import mark

    mark(items)
    if hasattr(config, "workerinput"):
        from support.scheduling import long_first

        long_first(items)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout's folder."""
    return ROOT


@pytest.fixture(params=["fused", "strict"])
def profile(request: pytest.FixtureRequest) -> str:
    """Each numerics profile that this CPU can run."""
    from gradmote_runtime.library import cpu_has_fma

    if request.param == "fused" and not cpu_has_fma():
        pytest.skip("this CPU has no fused multiply-add")
    return str(request.param)
