"""Writes models and samples that a newcomer can open, and a list of boards: `python examples.py OUT`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import onnx

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "host_tools"), str(ROOT / "examples")]

import digits_cnn  # noqa: E402

from gradmote import losses, optimizers  # noqa: E402
from gradmote.compiler import Options, compile_model  # noqa: E402
from gradmote.device.boards import boards  # noqa: E402
from gradmote.report.analyze import analyze_result, as_drawn  # noqa: E402

from data import digits  # noqa: E402
from shared.networks import Network  # noqa: E402


def perceptron() -> onnx.ModelProto:
    """Return a small network of two layers."""
    return Network((1, 8, 8)).flatten().linear(32).relu().linear(10).model()


#: Name -> title, what it is, and how it is made. All are compiled by the options that the page begins with.
MODELS = {
    "digits-cnn": ("Digits, convolutional", "Two convolutions on 8 by 8 pixels, ten classes.", digits_cnn.network),
    "digits-mlp": ("Digits, two layers", "The smallest that learns: 64 numbers in, ten classes.", perceptron),
}


def write_model(out: Path, name: str) -> dict[str, str]:
    """Write one model as ONNX and as an image, with its report; return its row of the index."""
    title, text, network = MODELS[name]
    model = network()
    result = compile_model(model, losses.cross_entropy(), optimizers.adamw(0.01), Options(batch=8))
    (out / f"{name}.onnx").write_bytes(model.SerializeToString())
    (out / f"{name}.mote").write_bytes(result.image)
    report = as_drawn(analyze_result(result, name))
    (out / f"{name}.json").write_text(json.dumps(report))
    return {"name": name, "title": title, "text": text, "data": "digits.npz"}


def main(out: Path) -> None:
    """Write all of it."""
    out.mkdir(parents=True, exist_ok=True)
    samples = digits.load()
    pixels = np.concatenate([samples.x, samples.x_test]).astype(np.float32) / 16
    labels = np.concatenate([samples.y, samples.y_test]).astype(np.int32)
    np.savez_compressed(out / "digits.npz", x=pixels, y=labels)
    (out / "boards.json").write_text(json.dumps([board.as_dict() for board in boards()]))
    rows = [write_model(out, name) for name in MODELS]
    (out / "index.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
