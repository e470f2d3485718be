"""Sets up what all tests share: paths of imports, Hypothesis, the sample, markers, the order of tests, and fixtures."""

from __future__ import annotations

import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "site_scons"), str(ROOT / "bindings" / "python"), str(ROOT / "tests")]
sys.path.append(str(ROOT / "examples"))

from support import sampling  # noqa: E402 - found by the path above
from support.long_files import changed_files, is_run_of_all, resting_files  # noqa: E402

pytest_plugins = ["pytester"]

# A shell starts background programs with Ctrl-C ignored, and every program that a test starts would inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "gradmote",
    max_examples=sampling.at_most(100),
    derandomize=sampling.given_seed() is None,
    database=None,
    deadline=None,  # machines are shared: nothing is judged by time
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("gradmote")

SEED = pytest.StashKey[int]()
CHANGED = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-durations", action="store_true", help="write tests/durations.json: seconds of tests")


@pytest.hookimpl(tryfirst=True)  # before Hypothesis reads its seed
def pytest_configure(config: pytest.Config) -> None:
    worker = getattr(config, "workerinput", None)
    config.stash[SEED] = worker["gradmote_seed"] if worker else sampling.new_seed()
    config.stash[CHANGED] = worker["gradmote_changed"] if worker else changed_files()
    if sampling.given_seed() is not None:
        config.option.hypothesis_seed = str(config.stash[SEED])
    if config.getoption("--record-durations"):
        from support.durations import Recorder

        config.pluginmanager.register(Recorder(writes=worker is None))
    refuse_stale_runtime(config)


def refuse_stale_runtime(config: pytest.Config) -> None:
    """Refuse to test a runtime that was compiled from other sources than those of this checkout."""
    from runtime_sources import stale_modules

    found = find_spec("gradmote_runtime")
    folder = Path(found.origin).parent if found and found.origin else ROOT
    stale = "" if hasattr(config, "workerinput") else " and ".join(stale_modules(folder))
    if stale:
        raise pytest.UsageError(f"{stale} in {folder} were not compiled from the sources as they are now: ./run build")


def pytest_report_header(config: pytest.Config) -> str:
    if sampling.is_whole():
        return "gradmote: all parameters and draws, GRADMOTE_WHOLE=1"
    return (
        f"gradmote: a sample by seed {config.stash[SEED]}; GRADMOTE_SEED repeats it, GRADMOTE_WHOLE=1 runs everything"
    )


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Give each process of `pytest -n` what chooses the sample of the run."""
    chooses = {"gradmote_seed": node.config.stash[SEED], "gradmote_changed": node.config.stash[CHANGED]}  # type: ignore[attr-defined]
    node.workerinput.update(chooses)  # type: ignore[attr-defined]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """Hand out tests as support/scheduling.py says, unless --dist asks for something else."""
    from support.scheduling import Together

    config.option.loadscopereorder = False
    return Together(config, log) if config.getoption("dist") == "load" else None


@pytest.hookimpl(tryfirst=True)  # -m selects by the markers
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    from support.tiers import mark

    seed, changed = config.stash[SEED], config.stash[CHANGED]
    sampling.leave_to_nights(config, items, seed, resting_files(seed, changed) if is_run_of_all(config) else ())
    mark(items)
    if hasattr(config, "workerinput"):
        from support.scheduling import long_first

        long_first(items)


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the checkout's folder."""
    return ROOT


@pytest.fixture(params=["fused", "strict"])
def profile(request: pytest.FixtureRequest) -> str:
    """Return each numerics profile that this CPU can run."""
    from gradmote_runtime.library import cpu_has_fma

    if request.param == "fused" and not cpu_has_fma():
        pytest.skip("this CPU has no fused multiply-add")
    return str(request.param)
