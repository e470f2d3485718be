"""The digits page of tests/bindings/js/digits: what it trains on, and what the twin says that it must reach.

    python -m bindings.digits_page [--onnxruntime]

runs it in Chromium with gradmote/training, and with onnxruntime-web 1.17.3 itself. Both begin with the
artifacts that onnxruntime-training 1.17.3 made (data/make.py). Prints accuracies, and how far apart the losses are.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gradmote import Session
from gradmote.cli import main as gradmote
from support import npm_package

ARTIFACTS = Path(__file__).with_name("data") / "digits_artifacts.zip"
#: Those of digits.js.
BATCH, ROUNDS, EPOCHS, DEVICES = 8, 3, 3, 2
OURS, THEIRS = "scripts/digits/script.html", "scripts/digits/onnxruntime.html"
ONNXRUNTIME_WEB = "onnxruntime-web@1.17.3"
ONNX_FILES = {
    "checkpointState": "checkpoint",
    "trainModel": "training_model.onnx",
    "evalModel": "eval_model.onnx",
    "optimizerModel": "optimizer_model.onnx",
}
#: Of losses: both compute in float32, and sum in other orders.
TOLERANCE = 1e-3
#: Digits to train on; the others are held out.
TRAINED_ON = 1347
Feeds = tuple[np.ndarray, np.ndarray]


@dataclass
class Expected:
    """The figures that the page must show; digests are of the parameters of both devices."""

    losses: list[float] = field(default_factory=list)
    before: dict[str, float] = field(default_factory=dict)
    after: dict[str, float] = field(default_factory=dict)
    digests: list[str] = field(default_factory=list)


def main() -> int:
    """Run the page with both packages, and print what they reach."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--onnxruntime", action="store_true", help="with onnxruntime-web too, which npm installs")
    pages = {"gradmote/training": OURS}
    if parser.parse_args().onnxruntime:
        pages[ONNXRUNTIME_WEB] = onnxruntime_page()
    write("digits")
    found = npm_package.browse(*pages.values())
    for name, page in pages.items():
        reported = found[page]
        assert "error" not in reported, reported
        print(f"{name}: accuracy {reported['before']['accuracy']:.4f} -> {reported['after']['accuracy']:.4f}")
    return compared(*(np.array(found[page]["losses"]) for page in pages.values()))


def compared(ours: np.ndarray, theirs: np.ndarray | None = None) -> int:
    """Print how far apart the losses are; return 1 if that is more than rounding explains."""
    if theirs is None:
        return 0
    distance = np.abs(ours - theirs).max()
    print(f"{len(ours)} losses, at most {distance:.1e} apart")
    return int(distance > TOLERANCE)


def onnxruntime_page() -> str:
    """Install onnxruntime-web, and return the page that differs from ours only in its script."""
    folder, installed = npm_package.project(), npm_package.BUILT / "onnxruntime"
    npm_package.run("npm", "install", "--silent", "--prefix", str(installed), ONNXRUNTIME_WEB, folder=folder)
    dist = installed / "node_modules" / "onnxruntime-web" / "dist"
    for name in ("ort.training.wasm.min.js", "ort-training-wasm-simd.wasm"):
        (folder / "onnxruntime").mkdir(exist_ok=True)
        shutil.copy(dist / name, folder / "onnxruntime" / name)
    write("onnxruntime", artifacts={"artifacts": ONNX_FILES, "wasmPaths": "/onnxruntime/"})
    zipfile.ZipFile(ARTIFACTS).extractall(folder / "data" / "onnxruntime")
    page = (folder / OURS).read_text()
    script = "../../node_modules/gradmote/dist/training.min.js"
    assert script in page
    (folder / THEIRS).write_text(page.replace(script, "/onnxruntime/ort.training.wasm.min.js"))
    return f"{THEIRS}?data=onnxruntime"


def write(name: str, accumulate: bool = True, artifacts: dict[str, Any] | None = None) -> None:
    """Give the project the data and the image that the page loads, in a folder of this name.

    artifacts: the files that it lists for the page, instead of the image.
    """
    for of, (pixels, labels) in samples().items():
        head = b"".join(n.to_bytes(4, "big") for n in (0x803, len(pixels), 8, 8))
        npm_package.give(f"{name}/{of}-images.idx3-ubyte", head + pixels.tobytes())
        head = b"".join(n.to_bytes(4, "big") for n in (0x801, len(labels)))
        npm_package.give(f"{name}/{of}-labels.idx1-ubyte", head + labels.tobytes())
    npm_package.give(f"{name}/digits.mote", image(accumulate))
    listed = artifacts or {"artifacts": dict.fromkeys(ONNX_FILES, "digits.mote")}
    npm_package.give(f"{name}/digits.json", json.dumps(listed).encode())


@cache
def samples() -> dict[str, Feeds]:
    """Return pixels and labels to train on and to test with, as bytes."""
    from sklearn.datasets import load_digits

    pixels, labels = (array.astype(np.uint8) for array in load_digits(return_X_y=True))
    return {"train": (pixels[:TRAINED_ON], labels[:TRAINED_ON]), "test": (pixels[TRAINED_ON:], labels[TRAINED_ON:])}


@cache
def image(accumulate: bool) -> bytes:
    """Compile onnxruntime's artifacts."""
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(ARTIFACTS).extractall(folder)
        out = Path(folder) / "digits.mote"
        options = ["--batch", str(BATCH), *(["--accumulate"] if accumulate else [])]
        assert gradmote(["compile", "--artifacts", folder, *options, "-o", str(out)]) == 0
        return out.read_bytes()


def batches(name: str, device: int = 0, devices: int = 1) -> Iterator[Feeds]:
    """Yield the batches of one device."""
    pixels, labels = (array[device::devices] for array in samples()[name])
    for at in range(0, len(labels) - BATCH + 1, BATCH):
        x = pixels[at : at + BATCH].astype(np.float32) / np.float32(16)
        yield x, labels[at : at + BATCH].astype(np.int32)


def expected(accumulate: bool = True) -> Expected:
    """Return what the twin reaches in the same rounds."""
    found = Expected()
    devices = [Session(image(accumulate), "strict") for _ in range(DEVICES)]
    found.before = tested(devices[0])
    for _ in range(ROUNDS):
        for device, session in enumerate(devices):
            for _ in range(EPOCHS):
                found.losses += [step(session, *feeds) for feeds in batches("train", device, DEVICES)]
        parameters = np.array([session.parameters() for session in devices], np.float64)
        mean = (parameters.sum(axis=0) / DEVICES).astype(np.float32)
        for session in devices:
            session.set_parameters(mean)
    found.after = tested(devices[0])
    found.digests = [hashlib.sha256(session.parameters()).hexdigest() for session in devices]
    return found


def step(session: Session, x: np.ndarray, labels: np.ndarray) -> float:
    """Train on one batch as the page does, and return the loss before the update."""
    if "step" in session.requirements()["programs"]:
        return session.step(x, labels)
    loss = session.train_step(x, labels)
    session.optimizer_step()
    session.lazy_reset_grad()
    return loss


def tested(session: Session) -> dict[str, float]:
    """Return accuracy and mean loss over the held-out digits."""
    right, losses = [], []
    for x, labels in batches("test"):
        losses.append(session.eval_step(x, labels))
        scores = np.array(session.output(0, "eval")).reshape(BATCH, -1)
        right.append(scores.argmax(axis=1) == labels)
    return {"accuracy": float(np.mean(right)), "loss": sum(losses) / len(losses)}


if __name__ == "__main__":
    raise SystemExit(main())
