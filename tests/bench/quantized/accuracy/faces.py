"""Small grey pictures, 100 of faces and 100 of what surrounds them, 25x25 pixels.

A part of "Labeled Faces in the Wild", G. B. Huang et al., 2007, University of Massachusetts, Technical Report 07-49.
The file is inside scikit-image (BSD licence), which is not imported.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from data.missing import MissingData

FACES = 100


def load() -> tuple[np.ndarray, np.ndarray]:
    """Pictures (200, 25, 25), float32 in 0 .. 1, and labels (200,): 1 is a face."""
    package = find_spec("skimage")
    if package is None or not package.submodule_search_locations:
        raise MissingData("the pictures of faces", "pip install --no-deps scikit-image==0.26.0")
    pictures = np.load(Path(package.submodule_search_locations[0]) / "data" / "lfw_subset.npy").astype(np.float32)
    pictures -= pictures.min()
    return pictures / pictures.max(), np.repeat(np.int32([1, 0]), [FACES, len(pictures) - FACES])
