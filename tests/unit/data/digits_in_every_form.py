"""Trains scikit-learn's digits from every form that samples come in, and prints what was learned.

    cd tests && ../.venv/bin/python -m unit.data.digits_in_every_form

All forms hold the same numbers in the same order, so all of them end in the same bits.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gradmote import cli, optimizers
from support import digits
from support.sample_files import npy, npz, picture, table, write

HELD_OUT = 450
NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]

Part = tuple[np.ndarray, np.ndarray]


def parts() -> tuple[Part, Part]:
    """Pixels 0 .. 16 as bytes with labels, to train and to test on; each part in the order of a folder by class."""
    pixels, labels = digits.samples()
    order = np.random.default_rng(0).permutation(len(labels))
    chosen = [sorted(rows, key=lambda row: labels[row]) for rows in (order[HELD_OUT:], order[:HELD_OUT])]
    train, test = [((pixels[rows] * 16).astype(np.uint8), labels[rows]) for rows in chosen]
    return train, test


def write_forms(folder: Path) -> dict[str, list[str]]:
    """Write the digits in every form, and return the arguments of `gradmote train` for each."""
    (x, y), (x_test, y_test) = parts()
    columns = [*(f"p{i}" for i in range(64)), "digit"]
    named = [[NAMES[label] for label in labels] for labels in (y, y_test)]
    arrays = {"x": x, "y": y, "x_test": x_test, "y_test": y_test}
    wide = {name: (array / 16 if name.startswith("x") else array) for name, array in arrays.items()}
    files: dict[str, bytes | str] = {
        "bytes.npz": npz(**arrays, scale=1 / 16),
        "float64.npz": npz(**wide),
        **{f"{name}.npy": npy(array) for name, array in wide.items()},
        "digits.csv": table(x, y.tolist(), columns),
        "test.csv": table(x_test, y_test.tolist(), columns),
        "names.csv": table(x, named[0], columns),
        "names-test.csv": table(x_test, named[1], columns),
    }
    for part, pixels, labels in (("train", x, y), ("test", x_test, y_test)):
        for number, (image, label) in enumerate(zip(pixels, labels, strict=True)):
            files[f"faces/{part}/{label}/{number:05}.png"] = picture(image.reshape(8, 8))
    write(folder, files)
    return {
        "npz of bytes": ["bytes.npz"],
        "npz of float64": ["float64.npz"],
        "npy pairs": ["x.npy", "--labels", "y.npy", "--test", "x_test.npy", "--test-labels", "y_test.npy"],
        "CSV": ["digits.csv", "--label", "digit", "--test", "test.csv", "--scale", "1/16"],
        "CSV with names": ["names.csv", "--test", "names-test.csv", "--scale", "1/16", "--classes", ",".join(NAMES)],
        "folder of PNG": ["faces", "--scale", "1/16"],
    }


def train(folder: Path, data: Sequence[str]) -> tuple[float, str]:
    """Train for two epochs; return the accuracy on the held-out digits, and the SHA-256 of the checkpoint."""
    (folder / "model.mote").write_bytes(digits.image(optimizers.adamw(0.003), 8))
    command = ["train", str(folder / "model.mote"), "--data", str(folder / data[0]), "--epochs", "2", "--json"]
    more = [str(folder / word) if (folder / word).exists() else word for word in data[1:]]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = cli.main([*command, *more, "--checkpoint", str(folder / "learned.gmck")])
    if status != 0:
        raise SystemExit(f"gradmote train --data {' '.join(data)} ended with {status}: {out.getvalue()}")
    accuracy = json.loads(out.getvalue())["epochs"][-1]["test"]["accuracy"]
    return accuracy, hashlib.sha256((folder / "learned.gmck").read_bytes()).hexdigest()


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        found = {form: train(Path(name), data) for form, data in write_forms(Path(name)).items()}
    for form, (accuracy, digest) in found.items():
        print(f"{form:16} {accuracy:.2%}  {digest}")
    return len(set(found.values())) - 1


if __name__ == "__main__":
    sys.exit(main())
