"""Writes test_training/model.h and test_training/expected.h: a small classifier, one batch, and the state of the twin
after STEPS steps on it, in both numerics profiles.

    python firmware/test/make_expected.py
"""

from __future__ import annotations

import tempfile
import zlib
from pathlib import Path

import numpy as np
import onnx
import onnx.parser

from gradmote import Session, losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.formats.c_header import c_header

FOLDER = Path(__file__).parent / "test_training"
BATCH, INPUTS, HIDDEN, CLASSES, STEPS = 4, 12, 16, 3, 20

EXPECTED = """/* Written by firmware/test/make_expected.py; do not edit. */
#ifndef EXPECTED_H
#define EXPECTED_H

#include <stdint.h>

#define STEPS {steps}u
/* CRC-32 of the twin's state after STEPS steps on this batch. */
#define STATE_CRC (GM_FUSED ? 0x{fused:08x}u : 0x{strict:08x}u)

static const float samples[{count}] = {{
    {samples}
}};
static const int32_t labels[{batch}] = {{ {labels} }};

#endif
"""


def image() -> bytes:
    """Return the compiled image of the classifier, with AdamW as its optimizer."""
    model = onnx.parser.parse_model(f"""
        <ir_version: 8, opset_import: ["": 17]>
        test (float[N,{INPUTS}] x) => (float[N,{CLASSES}] y) {{
          h = Gemm (x, w1, b1)
          a = Tanh (h)
          y = Gemm (a, w2, b2)
        }}""")
    random = np.random.default_rng(0)
    for name, shape in {"w1": (INPUTS, HIDDEN), "b1": (HIDDEN,), "w2": (HIDDEN, CLASSES), "b2": (CLASSES,)}.items():
        array = random.normal(0, 0.4, shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return compile_model(model, losses.cross_entropy(), optimizers.adamw(0.01), Options(batch=BATCH)).image


def batch() -> tuple[np.ndarray, np.ndarray]:
    """Return samples in sixteenths, which have few digits, and their labels."""
    random = np.random.default_rng(1)
    samples = random.integers(-16, 17, (BATCH, INPUTS)).astype(np.float32) / 16
    return samples, np.arange(BATCH, dtype=np.int32) % CLASSES


def learned(profile: str) -> int:
    """Return the CRC-32 of the twin's state after STEPS steps."""
    with Session(image(), profile) as twin:
        for _ in range(STEPS):
            twin.step(*batch())
        return zlib.crc32(twin.state())


def texts() -> dict[Path, str]:
    """Return the text of model.h and of expected.h, each by its path."""
    samples, labels = batch()
    with tempfile.TemporaryDirectory() as folder:
        mote = Path(folder) / "model.mote"
        mote.write_bytes(image())
        model = c_header(mote, "model")
    rows = ",\n    ".join(", ".join(f"{value!r}f" for value in row.tolist()) for row in samples)
    expected = EXPECTED.format(
        steps=STEPS,
        fused=learned("fused"),
        strict=learned("strict"),
        count=samples.size,
        samples=rows,
        batch=BATCH,
        labels=", ".join(map(str, labels)),
    )
    return {FOLDER / "model.h": model, FOLDER / "expected.h": expected}


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text)
        print(f"wrote {path}")
