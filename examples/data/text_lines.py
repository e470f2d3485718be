"""Pictures of short lines of text, upright or upside down: names of countries and languages, printed and photographed
by a noisy camera.

The words are real, in any language of Unicode's CLDR (Unicode-3.0 licence; inside babel, BSD). They are rendered in
DejaVu Sans (free; inside matplotlib), which has Latin, Greek, Cyrillic, Armenian and Georgian letters.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gradmote.device import Dataset

from .missing import MissingData

HEIGHT, WIDTH = 48, 192
NOISE = 0.15  # of the camera; black is 0 and white is 1


def load(language: str, lines: int, test_lines: int) -> Dataset:
    """Return each of `lines` words upright (label 0) and upside down (label 1); (3, HEIGHT, WIDTH) in -1 .. 1."""
    chosen = np.random.default_rng(1).permutation(words(language))[: lines + test_lines]
    return Dataset(*pictures(chosen[:lines], seed=0), *pictures(chosen[lines:], seed=1))


def words(language: str) -> list[str]:
    """Return names that fit a picture, in alphabetical order."""
    try:
        from babel import Locale
    except ImportError as error:
        raise MissingData("babel", "pip install babel") from error
    locale = Locale(language)
    return sorted({name for name in (*locale.territories.values(), *locale.languages.values()) if 3 <= len(name) <= 14})


def pictures(chosen: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    x = np.zeros((2 * len(chosen), 3, HEIGHT, WIDTH), np.float32)
    for row, word in enumerate(chosen):
        upright = printed(str(word))
        for turned, picture in enumerate((upright, upright[::-1, ::-1])):
            seen = np.clip(picture + random.normal(0, NOISE, picture.shape), 0, 1)
            x[2 * row + turned, :, :, : picture.shape[1]] = 2 * seen - 1
    return x, np.tile([0, 1], len(chosen))


def printed(word: str) -> np.ndarray:
    """Return a picture of the word, (HEIGHT, up to WIDTH), black 0 on white 1."""
    try:
        import matplotlib
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise MissingData("matplotlib", "pip install matplotlib") from error
    font = ImageFont.truetype(Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"), 36)
    picture = Image.new("L", (int(font.getlength(word)) + 12, HEIGHT), 255)
    ImageDraw.Draw(picture).text((6, HEIGHT // 2), word, font=font, anchor="lm", fill=0)
    return np.asarray(picture.resize((min(WIDTH, picture.width), HEIGHT))) / 255
