"""Writes learn_gesture/main/gesture.onnx: ten readings of three axes, three gestures, fresh weights.

python examples/esp_idf/make_gesture.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).parents[1]))

from shared.networks import Network

AXES, SAMPLES, HIDDEN, GESTURES = 3, 10, 16, 3
OUT = Path(__file__).parent / "learn_gesture" / "main" / "gesture.onnx"


def network() -> onnx.ModelProto:
    """Return an MLP 30-16-3."""
    return Network((AXES * SAMPLES,)).linear(HIDDEN).relu().linear(GESTURES).model()


if __name__ == "__main__":
    onnx.save(network(), OUT)
