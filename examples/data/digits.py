"""Handwritten digits, 8x8 pixels: a part of the UCI set "Optical Recognition of Handwritten Digits".

E. Alpaydin and C. Kaynak, 1998, https://archive.ics.uci.edu/dataset/80, CC BY 4.0; inside scikit-learn.
"""

from __future__ import annotations

import numpy as np

from gradmote.device import Dataset

from .missing import MissingData

HELD_OUT = 450


def load() -> Dataset:
    """Return 1,347 digits to train on and 450 to test on, (1, 8, 8) bytes 0 .. 16 for 0 .. 1; labels 0 .. 9."""
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise MissingData("scikit-learn", "pip install scikit-learn") from error
    pixels, digits = load_digits(return_X_y=True)
    x = pixels.astype(np.uint8).reshape(-1, 1, 8, 8)
    order = np.random.default_rng(0).permutation(len(x))
    test, train = order[:HELD_OUT], order[HELD_OUT:]
    return Dataset(x[train], digits[train], x[test], digits[test], scale=1 / 16)
