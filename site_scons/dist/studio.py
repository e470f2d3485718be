"""The wheel of the studio page, and its trial: an installed gradmote serves it."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import urllib.request
from pathlib import Path

from runtime_sources import ROOT

from .commands import OUT, WORK, Failed, Missing, python, run

SOURCES = ROOT / "bindings" / "js" / "studio"
PAGE = ROOT / "build" / "studio"
#: Files that the installed gradmote makes itself when it serves the page.
MADE_THERE = "gradmote-*.whl"


def wheel() -> Path:
    """Make the wheel of the page, which SCons builds, and return its path."""
    run([ROOT / "run", "scons", "-s", "studio"])
    folder = WORK / "studio"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SOURCES / "package", folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PAGE, folder / "gradmote_studio" / "page", ignore=shutil.ignore_patterns(MADE_THERE))
    shutil.copy(ROOT / "LICENSE", folder)
    shutil.copy(ROOT / "host_tools" / "gradmote" / "version.py", folder / "gradmote_studio")
    python("-m", "build", "--wheel", "--outdir", OUT, folder)
    return next(OUT.glob("gradmote_studio-*-py3-none-any.whl"))


def serve(interpreter: Path) -> str:
    """Check that the files that an environment with both packages serves equal the built page's. Raises Failed."""
    command = [str(interpreter), "-m", "gradmote", "studio", "--json", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=WORK, preexec_fn=heed_ctrl_c) as server:
        assert server.stdout is not None
        reported = server.stdout.readline()
        if not reported:
            raise Failed("gradmote studio ended at once")
        compare(json.loads(reported)["address"])
        server.send_signal(signal.SIGINT)
    if server.returncode != 0:
        raise Failed(f"gradmote studio ended with {server.returncode}")
    return "serves the page"


def heed_ctrl_c() -> None:
    """Let Ctrl-C end this process, even if a shell started it in the background, which ignores Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def compare(address: str) -> None:
    """Compare the files of a server with those of the built page. Raises Failed."""
    for path in sorted(path for path in PAGE.rglob("*") if path.is_file()):
        name = path.relative_to(PAGE).as_posix()
        with urllib.request.urlopen(f"{address}{name}", timeout=30) as answer:
            if answer.read() != path.read_bytes() and not path.match(MADE_THERE):
                raise Failed(f"{name} is not that of the built page")


def pure_wheel() -> Path:
    """Return the wheel of gradmote that serves the page. Raises Missing."""
    found = next(OUT.glob("gradmote-*-py3-none-any.whl"), None)
    if found is None:
        raise Missing("pure wheel in build/dist: ./run dist --only pure studio")
    return found
