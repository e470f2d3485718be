"""The two kinds of wheel, built from the sdist, in fresh environments: one trains, the other says what it lacks.

`./run dist` has those of all platforms (docs/RELEASING.md).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from dist.targets import TARGETS
from dist.trials import SAME_STATE
from dist.wheels import tagged, write_wheel

from runtime_sources import PROFILES, ROOT

from .same_state import expected, write_model

STEPS = 20
BUILD = "from setuptools import build_meta; import sys; print(build_meta.build_{}(sys.argv[1]))"


def build(kind: str, folder: Path, out: Path, **environment: str) -> Path:
    """Let setuptools build an sdist or a wheel of the sources in a folder, and return its path."""
    command = [sys.executable, "-c", BUILD.format(kind), str(out)]
    compiler = {"CC": "ccache gcc", "CCACHE_NOHASHDIR": "1"} if os.path.exists("/usr/bin/ccache") else {}
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **compiler, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return out / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the contents of the sdist, without anything built."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build("sdist", ROOT, folder)) as archive:
        archive.extractall(folder)
    return next(path for path in folder.iterdir() if path.is_dir())


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of a fresh virtual environment with cffi, which the twin needs, but without gradmote."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install(folder / "bin" / "python", "cffi")
    return folder / "bin" / "python"


def install(interpreter: Path, *what: object) -> None:
    pip = [interpreter, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--force-reinstall"]
    subprocess.run([*map(str, pip), *map(str, what)], check=True)


def train(interpreter: Path, folder: Path, profile: str) -> subprocess.CompletedProcess[str]:
    command = [interpreter, "-P", SAME_STATE, write_model(folder), STEPS, profile]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(map(str, command), cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.toolchain
def test_a_wheel_with_the_runtime_trains_to_the_same_state(sources, interpreter, tmp_path):
    wheel = build("wheel", sources, tmp_path)
    assert "-cp310-abi3-" in wheel.name
    install(interpreter, "--no-deps", wheel)
    for profile in PROFILES:
        done = train(interpreter, tmp_path, profile)
        assert done.stdout.split() == [expected(profile, STEPS)], done.stderr


@pytest.mark.toolchain
def test_a_pure_wheel_says_what_it_lacks(sources, interpreter, tmp_path):
    wheel = build("wheel", sources, tmp_path, GRADMOTE_MODULES="none")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert not [name for name in names if name.endswith((".so", ".pyd"))]
    assert "gradmote/sources/sources.zip.bz2" in names
    install(interpreter, "--no-deps", wheel)
    done = train(interpreter, tmp_path, "strict")
    assert "installed without the compiled runtime" in done.stderr


def test_an_unknown_compiler_of_modules_is_refused():
    command, environment = [sys.executable, "setup.py", "--version"], {**os.environ, "GRADMOTE_MODULES": "make"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "GRADMOTE_MODULES is 'make' - use setuptools, scons or none" in done.stderr


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_wheel_of_a_platform_has_its_tags(target):
    pure = "Wheel-Version: 1.0\nGenerator: setuptools\nRoot-Is-Purelib: true\nTag: py3-none-any\n\n"
    lines = tagged(pure, target).splitlines()
    assert [line for line in lines if line.startswith("Tag")] == [
        f"Tag: cp310-abi3-{platform}" for platform in target.tag.split(".")
    ]
    assert "Root-Is-Purelib: false" in lines
    assert "Wheel-Version: 1.0" in lines


def test_the_same_files_make_the_same_wheel(tmp_path):
    record, one, other = "shown-1.dist-info/RECORD", tmp_path / "one.whl", tmp_path / "other.whl"
    files = {"shown/__init__.py": b"", record: b"of before"}
    write_wheel(one, files, record)
    write_wheel(other, files, record)
    assert one.read_bytes() == other.read_bytes()
    with zipfile.ZipFile(one) as archive:
        rows = archive.read(record).decode().splitlines()
    assert rows[0] == "shown/__init__.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0"
    assert rows[1:] == [f"{record},,"]
