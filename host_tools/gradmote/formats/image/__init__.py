"""The flat image (.mote): layout of the arena, writing, reading. The format is in docs/SPEC.md."""

from .layout import Layout, Placing, lay_out
from .read import Image, read_image, run_order
from .write import write_image

__all__ = ["Image", "Layout", "Placing", "lay_out", "read_image", "run_order", "write_image"]
