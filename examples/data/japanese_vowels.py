"""Japanese vowels: nine men say /ae/; who was it? Twelve LPC cepstrum coefficients per frame, 7 to 29 frames.

M. Kudo, J. Toyama, M. Shimbo, 1999, https://archive.ics.uci.edu/dataset/128, CC BY 4.0; its files are inside aeon,
which is not imported.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from gradmote.device import Dataset

from .missing import MissingData

FRAMES, COEFFICIENTS, SPEAKERS = 29, 12, 9


def load() -> Dataset:
    """Return 270 utterances to learn from and 370 to test on, (FRAMES, COEFFICIENTS) float32, with zeros in front of
    shorter ones; speakers 0 .. 8."""
    return Dataset(*read_part("TRAIN"), *read_part("TEST"))


def read_part(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return utterances (n, FRAMES, COEFFICIENTS) and speakers (n,)."""
    spec = find_spec("aeon")
    if spec is None or not spec.submodule_search_locations:
        raise MissingData("Japanese vowels", "pip install --no-deps aeon")
    folder = Path(spec.submodule_search_locations[0]) / "datasets" / "data" / "JapaneseVowels"
    text = (folder / f"JapaneseVowels_{name}.ts").read_text()
    lines = text.partition("@data")[2].split()
    pairs = [parse(line) for line in lines]
    return np.stack([x for x, _ in pairs]), np.array([speaker for _, speaker in pairs])


def parse(line: str) -> tuple[np.ndarray, int]:
    """Return one utterance and its speaker; a line has each coefficient's values over time, then the speaker from 1."""
    *coefficients, speaker = line.split(":")
    x = np.array([[float(v) for v in values.split(",")] for values in coefficients], np.float32).T
    return np.pad(x, ((FRAMES - len(x), 0), (0, 0))), int(speaker) - 1
