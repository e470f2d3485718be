"""Write docs/EXAMPLE_IMAGE.md: the smallest image that trains, byte for byte.

cd tests && python -m numeric.spec.example_image
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bindings" / "python"), str(ROOT / "site_scons")]

import numpy as np  # noqa: E402
from numeric.spec.annotate_image import Dump  # noqa: E402

from gradmote import losses, optimizers  # noqa: E402
from gradmote.artifacts import build_artifacts  # noqa: E402
from gradmote.compiler import Options, compile_image  # noqa: E402
from render.markers import replace_block  # noqa: E402
from support.oracle import make_model, node  # noqa: E402

PAGE = ROOT / "docs" / "EXAMPLE_IMAGE.md"


def example() -> bytes:
    """Return the image of y = x w, w of two numbers, with a squared loss and SGD."""
    model = make_model([node("MatMul", "x w", "y")], {"w": np.array([[0.5], [-0.25]], np.float32)}, {"x": (1, 2)})
    built = build_artifacts(model, None, losses.mse(), optimizers.sgd(0.125))
    return compile_image(built, Options(batch=1, properties=1)).image


def page(text: str) -> str:
    """Return the page with the dump of this image between its markers."""
    return replace_block(text, "image", "\n".join(("```", *Dump(example()).lines(), "```")), "docs/EXAMPLE_IMAGE.md")


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
