"""Ctrl-C at any moment of any call of a session, in this Python and, at night, in others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from dist.commands import Missing
from dist.trials import VERSIONS, find_python

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from support.oracle import make_model, node, values
from support.sampling import draws

PROGRAM = Path(__file__).with_name("interrupted.py")


@pytest.fixture
def images(tmp_path: Path) -> list[Path]:
    """An image that updates in each step, and one that accumulates gradients."""
    nodes = [node("Gemm", "x w b", "h"), node("Relu", "h", "r"), node("Gemm", "r v c", "y")]
    weights = {"w": values(1, 16, 8), "b": values(2, 8), "v": values(3, 8, 4), "c": values(4, 4)}
    made = build_artifacts(make_model(nodes, weights, {"x": (4, 16)}), None, losses.cross_entropy(), optimizers.adamw())
    found = [tmp_path / "step.mote", tmp_path / "accumulating.mote"]
    for path, accumulate in zip(found, (False, True), strict=True):
        path.write_bytes(compile_image(made, Options(batch=4, accumulate=accumulate)).image)
    return found


def interrupt(python: str, root: Path, images: list[Path]) -> str:
    """Return what the program prints."""
    path = os.pathsep.join(str(root / folder) for folder in ("bindings/python", "host_tools"))
    command = [python, PROGRAM, *images, str(draws("signals"))]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_ctrl_c_at_any_moment_locks_nothing_and_loses_nothing(root, images):
    assert f"{draws('signals')} signals, 0 locks, 0 lost states" in interrupt(sys.executable, root, images)


@pytest.mark.parametrize("version", VERSIONS)
def test_in_any_python(root, images, tmp_path, version):
    try:
        python = find_python(version)
    except Missing as missing:
        pytest.skip(f"no {missing}")
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], check=True)
    own = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run([own, "-m", "pip", "install", "-q", "--disable-pip-version-check", "cffi"], check=True)
    said = interrupt(own, root, images)
    print(said)
    assert f"Python {version}." in said and f"{draws('signals')} signals, 0 locks, 0 lost states" in said
