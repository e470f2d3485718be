"""Fashion-MNIST: photographs of clothes, 28x28 pixels in gray, ten classes.

H. Xiao, K. Rasul, R. Vollgraf, 2017, https://github.com/zalandoresearch/fashion-mnist, MIT licence; Debian's package
dataset-fashion-mnist.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from gradmote.device import Dataset

from .missing import MissingData

FOLDER = Path("/usr/share/datasets/fashion-mnist")


def load(samples: int = 60_000, test_samples: int = 10_000) -> Dataset:
    """Return the first `samples` pictures to train on and `test_samples` to test on, (1, 28, 28) bytes for 0 .. 1;
    labels 0 .. 9."""
    if not FOLDER.is_dir():
        raise MissingData("Fashion-MNIST", "sudo apt-get install dataset-fashion-mnist")
    (x, y), (x_test, y_test) = read_part("train", samples), read_part("t10k", test_samples)
    return Dataset(x, y, x_test, y_test, scale=1 / 255)


def read_part(name: str, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return pictures (samples, 1, 28, 28) and labels (samples,)."""
    pictures = read_idx(FOLDER / f"{name}-images-idx3-ubyte.gz")[:samples, None]
    return pictures, read_idx(FOLDER / f"{name}-labels-idx1-ubyte.gz")[:samples]


def read_idx(path: Path) -> np.ndarray:
    """Return an array from a file of bytes.

    The file has two zeros, type 8, rank, the dimensions as 32-bit big-endian numbers, then the elements.
    """
    data = gzip.decompress(path.read_bytes())
    if data[:3] != b"\x00\x00\x08":
        raise ValueError(f"{path} is no IDX file of bytes")
    rank = data[3]
    shape = np.frombuffer(data, ">u4", rank, offset=4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)
