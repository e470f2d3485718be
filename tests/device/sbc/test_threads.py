"""gradmote-run with threads: the same bits as with one, and as many threads as were asked for."""

from __future__ import annotations

import hashlib
import subprocess
import time
from pathlib import Path

import numpy as np
import onnx.parser
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image

TRAIN = ("train", "wide.mote", "--input", "x.npy", "--label", "y.npy", "--checkpoint", "c.gmck")
#: A product of 64 x 64 x 512 has enough work for three threads.
WIDE = """
    <ir_version: 8, opset_import: ["": 17]>
    wide (float[N,64] x) => (float[N,10] y) {
      h = Gemm (x, w1, b1)
      a = Relu (h)
      y = Gemm (a, w2, b2)
    }"""
SHAPES = {"w1": (64, 512), "b1": (512,), "w2": (512, 10), "b2": (10,)}


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """The folder of wide.mote, x.npy and y.npy: two batches of 64 drawn samples."""
    rng = np.random.default_rng(3)
    model = onnx.parser.parse_model(WIDE)
    for name, shape in SHAPES.items():
        array = rng.normal(0, 0.1, shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.adamw(0.003))
    (tmp_path / "wide.mote").write_bytes(compile_image(made, Options(batch=64)).image)
    np.save(tmp_path / "x.npy", rng.normal(size=(128, 64)).astype(np.float32))
    np.save(tmp_path / "y.npy", rng.integers(0, 10, 128))
    return tmp_path


def test_threads_change_no_bit(program, wide: Path) -> None:
    learned = set()
    for threads in (1, 3):
        program.check(*TRAIN, "--epochs", 2, "--threads", threads, cwd=wide)
        scores = program.check(
            "infer", "wide.mote", "--input", "x.npy", "--checkpoint", "c.gmck", "--threads", threads, cwd=wide
        )
        learned.add((hashlib.sha256((wide / "c.gmck").read_bytes()).hexdigest(), scores))
    assert len(learned) == 1


def test_there_are_as_many_threads_as_asked_for(sanitized, wide: Path) -> None:
    """Count while it trains for longer than anybody waits."""
    command = [*sanitized.command, *TRAIN, "--epochs", "1000000", "--threads", "3"]
    with subprocess.Popen(command, cwd=wide, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            assert most_threads(process, 3) == 3
        finally:
            process.terminate()


def most_threads(process: subprocess.Popen[bytes], wanted: int) -> int:
    """Return the most threads that the process was seen with, once it has `wanted`, ended, or took a minute."""
    most, end = 0, time.monotonic() + 60
    while most < wanted and process.poll() is None and time.monotonic() < end:
        most = max(most, len(list(Path(f"/proc/{process.pid}/task").iterdir())))
        time.sleep(0.01)
    return most


@pytest.mark.parametrize("threads", [0, 17])
def test_a_count_out_of_range_is_refused(sanitized, wide: Path, threads: int) -> None:
    done = sanitized.run(*TRAIN, "--threads", threads, cwd=wide)
    assert done.returncode == 2
    assert f"--threads does not take {threads}" in done.stderr
    assert not (wide / "c.gmck").exists()
