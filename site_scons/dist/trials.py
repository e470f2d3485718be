"""Install wheels into fresh environments for their platforms, and check that the twin ends in the checkout's bits."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from . import arm64, dotnet_trials, java_trials, native_trials, studio, swift_trials, wine
from .commands import WORK, Failed, Missing, run
from .compared import compared, model

VERSIONS = ("3.10", "3.11", "3.12", "3.13")
#: The Python for trying the wheel without the runtime.
PURE_VERSION = "3.11"
#: Trains the twin, in any Python. Arguments: a model, a number of steps and a profile.
SAME_STATE = Path(__file__).with_name("same_state.py")


def trials(wheel: Path) -> list[tuple[str, str]]:
    """Return where a wheel was tried, and the result: "same state", or why it was not run. Raises Failed."""
    return [(where, outcome(trial)) for where, trial in planned(wheel)]


def outcome(trial: Callable[[], str]) -> str:
    try:
        return trial()
    except Missing as missing:
        return f"not run: no {missing}"


def planned(wheel: Path) -> list[tuple[str, Callable[[], str]]]:
    """Return the Pythons on this computer that can install a wheel, each with the smoke test to run in it."""
    if wheel.name.endswith("-maven.zip"):
        return java_trials.planned(wheel)
    if wheel.suffix == ".nupkg":
        return [*dotnet_trials.planned(wheel), *native_trials.planned(wheel)]
    if wheel.name.endswith("-swift.zip"):
        return swift_trials.planned(wheel)
    if "manylinux" in wheel.name and "x86_64" in wheel.name:
        return [(f"CPython {version}", partial(in_fresh_environment, wheel, version)) for version in VERSIONS]
    if "aarch64" in wheel.name:
        return [(f"CPython {arm64.VERSION}, qemu-aarch64", partial(compared, partial(arm64.run_wheel, wheel)))]
    if "win_amd64" in wheel.name:
        twin = partial(compared, partial(wine.run_wheel, wheel))
        return [(f"CPython {wine.VERSION} for Windows, wine", twin), ("Win32 threads, wine", wine.hammer_threads)]
    if wheel.name.startswith("gradmote_studio"):
        return [(f"CPython {PURE_VERSION}", partial(serves_the_page, wheel))]
    if "none-any" in wheel.name:
        return [(f"CPython {PURE_VERSION}", partial(without_runtime, wheel))]
    return []


def find_python(version: str) -> str:
    """Return the path of a Python of this version: one of pyenv's, or on PATH. Raises Missing."""
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    shim = "pyenv" + os.sep + "shims"  # it exists for versions that are not selected, too
    path = os.pathsep.join(folder for folder in os.environ.get("PATH", "").split(os.pathsep) if shim not in folder)
    found = str(kept[-1]) if kept else shutil.which(f"python{version}", path=path)
    if found is None:
        raise Missing(f"Python {version}")
    return found


def fresh_environment(wheel: Path, version: str) -> Path:
    """Install a wheel, with all that it depends on, into an environment of its own; return its Python."""
    interpreter = find_python(version)
    folder = WORK / "trials" / f"{wheel.name.split('-')[-1].split('.')[0]}-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    run([interpreter, "-m", "venv", folder])
    run([folder / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel])
    return folder / "bin" / "python"


def in_fresh_environment(wheel: Path, version: str) -> str:
    """Train the twin in a fresh environment, away from the checkout."""
    interpreter = fresh_environment(wheel, version)
    environment = {"PYTHONPATH": "", "PYTHONSAFEPATH": "1"}
    return compared(lambda *job: run([interpreter, SAME_STATE, *job], WORK, **environment))


def without_runtime(wheel: Path) -> str:
    """Check that the pure wheel's commands run, and that its twin reports what is missing."""
    interpreter = fresh_environment(wheel, PURE_VERSION)
    run([interpreter, "-m", "gradmote", "boards"], WORK, PYTHONPATH="")
    try:
        run([interpreter, SAME_STATE, model(), 1, "strict"], WORK, PYTHONPATH="")
    except Failed as error:
        if "installed without the compiled runtime" in str(error):
            return "says what it lacks"
        raise
    raise Failed("the pure wheel trains a twin")


def serves_the_page(wheel: Path) -> str:
    """Install the page and the wheel without the runtime, and check what they serve."""
    interpreter = fresh_environment(studio.pure_wheel(), PURE_VERSION)
    run([interpreter, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", wheel])
    return studio.serve(interpreter)
