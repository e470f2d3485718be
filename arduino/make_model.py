"""Writes examples/LearnGesture/model.h: a small classifier of ten samples of three axes, with fresh weights.

python arduino/make_model.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from gradmote.formats.c_header import c_header
from gradmote.project.example import example_image

OUT = Path(__file__).parent / "examples" / "LearnGesture" / "model.h"


def text() -> str:
    """Return the text of the header model.h."""
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "model.mote"
        image.write_bytes(example_image())
        return c_header(image, "model")


if __name__ == "__main__":
    OUT.write_text(text())
    print(f"wrote {OUT}")
