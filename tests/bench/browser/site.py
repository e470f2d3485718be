"""The folder that the benchmark's server shows: pages, the package, the contestants, and the files of each case."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from bench.browser import cases, layouts
from bench.memory.onnxruntime_memory import interpreter_with
from bench.speed.cases import model, training
from bench.speed.host import TIMED_RATE

from support import npm_package

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = Path(__file__).with_name("js")
BUILT = ROOT / "build" / "bench_browser"
SITE = BUILT / "site"
PEERS = BUILT / "node_modules"
#: Checkpoints of later versions are not read by onnxruntime-web 1.17.3.
PINS = ROOT / ".ci" / "requirements-onnxruntime-web.txt"
ARTIFACTS = Path(__file__).with_name("ort_artifacts.py")
#: What LeNet flattens.
FLATTENED = {"lenet": (16, 7, 7)}
#: The files of the contestants that their pages load.
LOADED = (
    "onnxruntime-web/dist/ort.training.wasm.min.js",
    "onnxruntime-web/dist/ort-training-wasm-simd.wasm",
    "@tensorflow/tfjs/dist/tf.min.js",
    "@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.min.js",
    "@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm",
)


def make(wanted: Iterable[str] = cases.NETWORKS) -> Path:
    """Make the folder with this project's own files and those of the cases, and return it."""
    package = npm_package.project() / "node_modules" / "gradmote" / "dist"
    shutil.copytree(SCRIPTS / "pages", SITE / "pages", dirs_exist_ok=True)
    shutil.copytree(package, SITE / "gradmote", dirs_exist_ok=True)
    for network in wanted:
        write_case(network, SITE / "cases" / network)
    compress([*SITE.glob("gradmote/*.js"), *SITE.glob("gradmote/*.wasm"), *SITE.glob("cases/*/*.mote")])
    return SITE


def write_case(network: str, folder: Path) -> None:
    """Write the images of a network, and what its pages read."""
    folder.mkdir(parents=True, exist_ok=True)
    for batch in cases.BATCHES:
        replace(folder / f"{batch}.mote", training(network, cases.RULE, batch, "batch").image)


def replace(path: Path, data: bytes) -> None:
    """Write a file unless it has these bytes, so that what was compressed of it stays good."""
    if not path.exists() or path.read_bytes() != data:
        path.write_bytes(data)


def add_peers() -> None:
    """Install the contestants, and make what they train. Raise SystemExit if onnxruntime-training is not available."""
    install_peers()
    link = SITE / "peers"
    if not link.exists():
        link.symlink_to(PEERS)
    python = interpreter_with(PINS, ROOT / "build" / "onnxruntime-web")
    if python is None:
        raise SystemExit("onnxruntime-training 1.17.3, which makes the artifacts, cannot be had: it takes Python 3.11")
    for network in cases.NETWORKS:
        write_tensorflow(network, SITE / "cases" / network)
        write_artifacts(network, SITE / "cases" / network / "ort", python)
    compress([*loaded(), *SITE.glob("cases/*/tfjs.bin"), *SITE.glob("cases/*/ort/*_model.onnx")])
    compress(SITE.glob("cases/*/ort/checkpoint"))


def loaded() -> list[Path]:
    """Return the files of the contestants that their pages load."""
    return [PEERS / name for name in LOADED]


def install_peers() -> None:
    """Install the contestants by npm, unless they are there."""
    pinned, stamp = SCRIPTS / "package.json", BUILT / "installed.json"
    if stamp.exists() and stamp.read_bytes() == pinned.read_bytes():
        return
    BUILT.mkdir(parents=True, exist_ok=True)
    shutil.copy(pinned, BUILT / "package.json")
    quietly = ("--ignore-scripts", "--no-audit", "--no-fund", "--silent")
    npm_package.run("npm", "install", *quietly, folder=BUILT, seconds=600)
    shutil.copy(pinned, stamp)


def write_tensorflow(network: str, folder: Path) -> None:
    arrays = layouts.weights(model(network), FLATTENED.get(network))
    replace(folder / "tfjs.json", json.dumps([array.shape for array in arrays]).encode())
    replace(folder / "tfjs.bin", b"".join(np.ascontiguousarray(array).tobytes() for array in arrays))


def write_artifacts(network: str, folder: Path, python: Path) -> None:
    """Let onnxruntime-training generate its artifacts, unless they are there."""
    data, kept = model(network).SerializeToString(), folder / "model.onnx"
    if (folder / "timed_optimizer_model.onnx").exists() and kept.read_bytes() == data:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    kept.write_bytes(data)
    npm_package.run(str(python), str(ARTIFACTS), str(kept), str(folder), str(TIMED_RATE), folder=folder)


def compress(paths: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """Let the server send these files under brotli; return the bytes of each as it is, and under brotli."""
    wanted = [str(path) for path in paths]
    script = str(SCRIPTS / "compress.mjs")
    done = subprocess.run(["node", script, *wanted], capture_output=True, text=True, check=True)
    sizes: dict[str, list[int]] = json.loads(done.stdout)
    return {name: (whole, short) for name, (whole, short) in sizes.items()}
