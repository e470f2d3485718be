"""Writes digits/model.onnx and digits/samples.h, which both samples use: a small network, and digits to learn and test.

python examples/zephyr/make_digits.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).parents[1]))

from data import digits
from shared.networks import Network

OUT = Path(__file__).parent / "digits"
LEARNED, TESTED = 160, 80
HEADER = """\
/* Handwritten digits, a label and 64 pixels from a, empty, to q, full: {learned} to learn, then {tested} to test.
 * E. Alpaydin and C. Kaynak, 1998, https://archive.ics.uci.edu/dataset/80, CC BY 4.0. Written by make_digits.py. */
static const char digits[{learned} + {tested}][66] = {{
{rows}
}};
"""


def network() -> onnx.ModelProto:
    """Return an MLP 64-16-10 with fresh weights."""
    return Network((64,)).linear(16).relu().linear(10).model()


def samples() -> str:
    """Return the text of samples.h."""
    all_of_them = digits.load()
    x = np.concatenate([all_of_them.x[:LEARNED], all_of_them.x_test[:TESTED]]).reshape(-1, 64)
    y = np.concatenate([all_of_them.y[:LEARNED], all_of_them.y_test[:TESTED]])
    rows = [f'    "{label}{bytes(pixels + ord("a")).decode()}",' for pixels, label in zip(x, y, strict=True)]
    return HEADER.format(learned=LEARNED, tested=TESTED, rows="\n".join(rows))


if __name__ == "__main__":
    onnx.save(network(), OUT / "model.onnx")
    (OUT / "samples.h").write_text(samples())
