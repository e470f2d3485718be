"""The npm package in the form that users get: packed by `scons npm`, and installed into an empty project by npm."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from support.firmware import name_of_run, run_scons

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "js"
#: The folder of the tools that bundle and check.
TOOLS = BUILT / "tools" / "node_modules"
SCRIPTS = ROOT / "tests" / "bindings" / "js"


def lacking() -> str:
    """Return the tool that is missing for building the package, or an empty string."""
    return next((tool for tool in ("node", "npm") if not shutil.which(tool)), "" if find_spec("ziglang") else "ziglang")


def require() -> Path:
    """Return the project in which the package is installed; skip the test if a tool is missing."""
    if lacking():
        pytest.skip(f"there is no {lacking()}")
    return project()


@cache
def project() -> Path:
    """Return a folder with the package in node_modules, and the scripts of tests/bindings/js.

    It is made again if the package has changed.
    """
    run_scons("npm")
    folder = BUILT / "project"
    folder.mkdir(exist_ok=True)
    with (BUILT / "turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        install(packed(), folder)
        shutil.copytree(SCRIPTS, folder / "scripts", dirs_exist_ok=True)
    return folder


def give(name: str, content: bytes) -> Path:
    """Write a file into the project's data folder, which pages and scripts of all test processes can read.

    Raises AssertionError if another test has given other contents the same name, as its pages would train on these.
    """
    path, written = project() / "data" / name, BUILT / "given.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with (BUILT / "turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        run, given = json.loads(written.read_text()) if written.exists() else ("", {})
        given = given if run == name_of_run() else {}
        digest = hashlib.sha256(content).hexdigest()
        assert given.get(name, digest) == digest, f"two tests give data/{name} different contents"
        if name not in given:
            path.write_bytes(content)
            written.write_text(json.dumps([name_of_run(), {**given, name: digest}]))
    return path


def packed() -> Path:
    """Return the file written by `npm pack`."""
    return next(BUILT.glob("gradmote-*.tgz"))


def install(package: Path, folder: Path) -> None:
    """Install the package into a project, unless it is already there."""
    digest, stamp = hashlib.sha256(package.read_bytes()).hexdigest(), folder / "installed"
    if stamp.exists() and stamp.read_text() == digest:
        return
    shutil.rmtree(folder / "node_modules", ignore_errors=True)  # npm keeps a package with the same version
    (folder / "package.json").write_text('{"name": "project", "private": true}\n')
    run("npm", "install", "--silent", "--offline", "--no-save", str(package), folder=folder)
    stamp.write_text(digest)


def node(script: Path | str, *arguments: object, options: tuple[str, ...] = ()) -> str:
    """Run a script of tests/bindings/js in the project, and return its output."""
    folder = project()
    return run("node", *options, str(folder / "scripts" / script), *map(str, arguments), folder=folder)


def browse(*addresses: str) -> dict[str, Any]:
    """Open pages of the project in Chromium, and return the result of each."""
    return json.loads(node("browse.mjs", str(shutil.which("chromium")), TOOLS, *addresses))


def run(*command: str, folder: Path, seconds: float = 120.0) -> str:
    """Run a command and return its standard output. Raises AssertionError if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=seconds)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout
