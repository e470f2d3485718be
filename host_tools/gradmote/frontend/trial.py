"""The runtime that tries inference images during compilation: the twin, or a replacement.

In a page there is no compiled runtime; the studio sets `open_image` to the page's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np


class Trial(Protocol):
    """An image that is open for inference."""

    def inputs(self) -> Sequence[Mapping[str, Any]]:
        """Return the name, dtype and shape of each input."""

    def outputs(self) -> Sequence[Mapping[str, Any]]:
        """Return the name, dtype and shape of each output."""

    def infer(self, *arrays: np.ndarray) -> Sequence[Any]:
        """Return the outputs for these inputs as arrays; the next call may overwrite them."""

    def close(self) -> None:
        """Free the memory."""


def open_twin(image: bytes) -> Trial:
    """Open an image on the twin. Raises GradmoteError if it is not installed."""
    from gradmote_runtime import Session
    from gradmote_runtime.library import cpu_has_fma

    return Session(image, "fused" if cpu_has_fma() else "strict")


#: The function that opens an image.
open_image: Callable[[bytes], Trial] = open_twin


@contextmanager
def opened(image: bytes) -> Iterator[Trial]:
    """Yield the image, open for inference."""
    found = open_image(image)
    try:
        yield found
    finally:
        found.close()
