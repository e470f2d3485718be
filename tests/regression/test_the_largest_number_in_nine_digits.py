"""float32's largest number, written with the nine digits that distinguish it from all others, was refused in a CSV
file: these digits are a little above it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradmote.device import Dataset
from gradmote.errors import DataError

LARGEST = np.finfo(np.float32).max
#: From here on a number rounds to infinity.
BEYOND = 2.0**128 - 2.0**103


def read(folder: Path, text: str) -> np.ndarray:
    path = folder / "rows.csv"
    path.write_text(f"{text},1\n0,0\n")
    return Dataset.read(path).x


@pytest.mark.parametrize("text", ["3.40282347e+38", "3.4028234663852886e+38", repr(float(np.nextafter(BEYOND, 0.0)))])
def test_what_rounds_to_the_largest_is_read(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text)[0, 0] == LARGEST
    assert read(tmp_path, f"-{text}")[0, 0] == -LARGEST


@pytest.mark.parametrize("text", [repr(BEYOND), "3.5e38", "1e999"])
def test_what_rounds_to_infinity_is_refused(tmp_path: Path, text: str) -> None:
    for signed in (text, f"-{text}"):
        with pytest.raises(DataError, match="not a finite float32 number"):
            read(tmp_path, signed)
