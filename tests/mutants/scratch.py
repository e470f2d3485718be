"""The checkout in build/mutants in which mutants live: made and built there, so that no other work sees them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .mutant import ROOT, Mutant, apply

CHECKOUT = ROOT / "build" / "mutants" / "checkout"
#: What was built in this checkout, and need not be built again in the other. SCons compares contents.
BUILT = (".sconsign.dblite", *(f"build/{name}" for name in ("python", "host", "powerloss", "firmware", "wasm", "js")))
MODULES = "bindings/python/gradmote_runtime"
#: Folders that come first on Python's path, so that it does not find the checkout that is installed.
PATHS = ("host_tools", "bindings/python", "site_scons", "tests")
#: Set to 1, it makes pytest run the whole of the matrices of parameters that it else draws samples from.
WHOLE = "GRADMOTE_WHOLE"
#: What each process of a run has in its environment, to be found by.
MARK = "GRADMOTE_RUN_OF_MUTANTS"
#: Seconds that a build may take.
PATIENCE = 3600.0


@dataclass(frozen=True)
class Done:
    """How a command ended: its status, None if it was stopped after too long, and the end of what it printed."""

    status: int | None
    output: str


def prepare() -> None:
    """Make the checkout, or bring it to the commit of this one, and compile its runtime.

    Ends the program if its tests would not test its own code.
    """
    if not CHECKOUT.exists():
        say(f"clone {ROOT} to {CHECKOUT.relative_to(ROOT)}")
        CHECKOUT.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "-q", ROOT, CHECKOUT], check=True)
        take_over()
    git("fetch", "-q", "origin", revision(ROOT))
    git("checkout", "-q", "--force", "--detach", revision(ROOT))
    say("build the runtime")
    build_without_mutants()
    require_own_code()


def build_without_mutants() -> None:
    done = put_and_build([])
    if done.status != 0:
        raise SystemExit(f"the runtime without mutants does not build:\n{done.output}")


def take_over() -> None:
    """Copy what is built here to the same paths."""
    modules = [path.relative_to(ROOT).as_posix() for path in (ROOT / MODULES).glob("*.so")]
    for name in (*BUILT, *modules):
        source, target = ROOT / name, CHECKOUT / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True)
        elif source.exists():
            shutil.copy2(source, target)


def require_own_code() -> None:
    """End the program if Python would import the packages of another checkout."""
    code = "import gradmote, gradmote_runtime._fused as f; print(gradmote.__file__, f.__file__)"
    found = run([sys.executable, "-c", code], 60.0).output.split()
    if not all(Path(path).is_relative_to(CHECKOUT) for path in found) or len(found) != 2:
        raise SystemExit(f"tests would not import what is in {CHECKOUT}, but {' '.join(found)}")


def revision(root: Path) -> str:
    return subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True
    ).stdout.strip()


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=CHECKOUT, check=True)


def samples() -> bool:
    """Return whether a plain run of the tests takes samples of them."""
    command = ["git", "grep", "-q", WHOLE, "--", "tests", ":!tests/mutants"]
    return subprocess.run(command, cwd=CHECKOUT, check=False).returncode == 0


def put(mutants: Iterable[Mutant]) -> None:
    """Put these mutants into the checkout, and no others."""
    git("checkout", "-q", "--force", "HEAD", "--", ".")
    apply(mutants, CHECKOUT)


def build() -> Done:
    """Compile the runtime for Python, if it is not of the sources as they are. What else tests need they build."""
    code = "import runtime_sources as found; raise SystemExit(len(found.stale_modules(found.MODULES)))"
    return Done(0, "") if run([sys.executable, "-c", code], 60.0).status == 0 else scons("python")


def put_and_build(mutants: Iterable[Mutant]) -> Done:
    """Put these mutants into the checkout, and no others, and compile the runtime."""
    put(mutants)
    return build()


def scons(*targets: str, seconds: float = PATIENCE) -> Done:
    return run([sys.executable, "-m", "SCons", "-Q", "-s", f"-j{os.cpu_count()}", *targets], seconds)


def run(command: Sequence[str], seconds: float, more: dict[str, str] | None = None) -> Done:
    """Run a command in the checkout; end it after so many seconds, and what it started with it or left running."""
    mark = f"{MARK}={uuid.uuid4()}"
    process = subprocess.Popen(
        command,
        cwd=CHECKOUT,
        env=environment() | (more or {}) | dict([mark.split("=")]),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
        return Done(process.returncode, output[-4000:])
    except BaseException as error:
        end(process)
        if isinstance(error, subprocess.TimeoutExpired):
            return Done(None, "")
        raise
    finally:
        end_marked(mark)


def end(process: subprocess.Popen[str]) -> None:
    """End a process and all that it started, in the group that it leads. SCons first writes down what it has built."""
    for stop in (signal.SIGINT, signal.SIGKILL):
        os.killpg(process.pid, stop)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=10.0)
            return


def end_marked(mark: str) -> None:
    """End the processes that have this line in their environment: a mutant that hangs can outlive its test."""
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark.encode() in environ.read_bytes().split(b"\0"):
                os.kill(int(environ.parent.name), signal.SIGKILL)


def environment() -> dict[str, str]:
    """Return the environment of what runs in the checkout. Python keeps nothing that it compiled from a mutant."""
    paths = os.pathsep.join(str(CHECKOUT / path) for path in PATHS)
    own = {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    programs = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    others = {name: value for name, value in os.environ.items() if name != WHOLE}
    return {**others, **own, "PATH": programs}


def say(text: str) -> None:
    print(f"· {text}", flush=True)
