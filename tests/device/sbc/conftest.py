"""gradmote-run, built once, for this computer and for emulated processors; models and samples for it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx.parser
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.device.dataset import Dataset
from linux_targets import CROSS_TARGETS, host_target
from support.gradmote_run import build_gradmote_run

ROOT = Path(__file__).resolve().parents[3]
HERE = host_target()
TARGETS = {target.name: target for target in CROSS_TARGETS} | {HERE.name: HERE, "sanitized": HERE}
SANITIZER_TRACES = ("AddressSanitizer", "LeakSanitizer", "runtime error:")


@dataclass(frozen=True)
class Program:
    """gradmote-run for one processor."""

    name: str
    command: tuple[str, ...]
    profile: str

    def run(self, *arguments: object, cwd: Path | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run one command to its end; fail if a sanitizer found something."""
        command = [*self.command, *map(str, arguments)]
        done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, timeout=60, check=False)
        assert not any(trace in done.stderr for trace in SANITIZER_TRACES), done.stderr
        assert done.returncode >= 0, f"ended by signal {-done.returncode}: {command}"
        return done

    def check(self, *arguments: object, cwd: Path | None = None) -> str:
        """Runs one command that must not fail; returns what it printed."""
        done = self.run(*arguments, cwd=cwd)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refused(self, *arguments: object, cwd: Path | None = None) -> str:
        """Runs one command that must be refused as bad data; returns what it said."""
        done = self.run(*arguments, cwd=cwd)
        assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
        assert done.stderr.startswith("error: ")
        return done.stderr


@pytest.fixture(scope="session")
def build() -> Callable[[str], Program]:
    """Give a program by its folder in build/sbc; skip if its compiler or its emulator is missing."""
    if shutil.which(HERE.compiler) is None:
        pytest.skip(f"{HERE.compiler} is not installed")
    return _program


def _program(name: str) -> Program:
    target = TARGETS[name]
    for tool, packages in ((target.compiler, target.packages), *((tool, "qemu-user") for tool in target.emulator[:1])):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed: apt-get install {packages}")
    path = build_gradmote_run(name)
    profile = "fused" if "-DGM_FUSED=1" in target.flags else "strict"
    return Program(name, (*target.emulator, str(path)), profile)


@pytest.fixture(scope="session", params=list(TARGETS))
def program(request: pytest.FixtureRequest, build: Callable[[str], Program]) -> Program:
    """Return the program of each processor."""
    return build(request.param)


@pytest.fixture(scope="session")
def sanitized(build: Callable[[str], Program]) -> Program:
    return build("sanitized")


# ---- Models and samples ---------------------------------------------------------------------------------------------

MLP = """
    <ir_version: 8, opset_import: ["": 17]>
    mlp (float[N,64] x) => (float[N,10] y) {
      h = Gemm (x, w1, b1)
      a = Tanh (h)
      d = Dropout (a)
      y = Gemm (d, w2, b2)
    }"""
CNN = """
    <ir_version: 8, opset_import: ["": 17]>
    cnn (float[N,1,8,8] x) => (float[N,10] y) {
      c = Conv <pads = [1, 1, 1, 1]> (x, w1, b1)
      a = Relu (c)
      p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (a)
      f = Flatten (p)
      y = Gemm (f, w2, b2)
    }"""
SUBNORMAL = 1e-40
SHAPES = {
    "mlp": {"w1": (64, 16), "b1": (16,), "w2": (16, 10), "b2": (10,)},
    "cnn": {"w1": (4, 1, 3, 3), "b1": (4,), "w2": (64, 10), "b2": (10,)},
}


def compiled(text: str, shapes: dict[str, tuple[int, ...]], scale: float = 0.3) -> bytes:
    """scale: of the weights. Subnormal ones are trained by a plain step in the first layer, whose gradients are too."""
    model = onnx.parser.parse_model(text)
    rng = np.random.default_rng(0)
    for name, shape in shapes.items():
        array = rng.normal(0, scale, shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    usual = (None, losses.cross_entropy(), optimizers.adamw(0.003))
    made = build_artifacts(model, *(usual if scale > SUBNORMAL else (["w1", "b1"], usual[1], optimizers.sgd(1.0))))
    return compile_image(made, Options(batch=8)).image


@pytest.fixture(scope="session")
def images() -> dict[str, bytes]:
    """A perceptron with dropout and a CNN, both for digits, in batches of 8; and one whose numbers are subnormal."""
    made = {name: compiled(text, SHAPES[name]) for name, text in (("mlp", MLP), ("cnn", CNN))}
    return {**made, "subnormal": compiled(MLP, SHAPES["mlp"], SUBNORMAL)}


@pytest.fixture(scope="session")
def digits() -> Dataset:
    """204 digits: 25 batches, and 4 more."""
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    return Dataset(pixels[:204].astype(np.uint8), labels[:204].astype(np.int64), scale=1 / 16)


@pytest.fixture
def folder(tmp_path: Path, images: dict[str, bytes], digits: Dataset) -> Path:
    """mlp.mote, cnn.mote, subnormal.mote, x.npy and y.npy."""
    for name, image in images.items():
        (tmp_path / f"{name}.mote").write_bytes(image)
    np.save(tmp_path / "x.npy", digits.x)
    np.save(tmp_path / "y.npy", digits.y)
    return tmp_path
