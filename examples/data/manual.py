"""The text of Python's own manual, shown by `help("keywords")` and the like, in every Python's standard library.

Source: pydoc_data.topics, 430,000 characters in Python 3.11, more with each version. Licence: PSF License, Version 2.
"""

from __future__ import annotations

import importlib
import string

import numpy as np

from .missing import MissingData

#: Characters by index; letters become lower case, other characters are left out.
CHARACTERS = "\n " + string.ascii_lowercase + string.digits + "!\"'()*,-./:;<=>[]_`{}"


def load() -> tuple[np.ndarray, np.ndarray]:
    """Return indices into CHARACTERS: the first nine tenths of the text to train on, and the held-out last tenth."""
    try:
        topics = importlib.import_module("pydoc_data.topics").topics
    except ImportError:
        raise MissingData("Python's manual (pydoc_data)", "sudo apt-get install libpython3-stdlib") from None
    text = encode("\n".join(" ".join(line.split()) for topic in topics.values() for line in topic.splitlines()))
    return text[: len(text) * 9 // 10], text[len(text) * 9 // 10 :]


def encode(text: str) -> np.ndarray:
    index = {character: i for i, character in enumerate(CHARACTERS)}
    return np.array([index[c] for c in text.lower() if c in index], np.int64)


def decode(indices: np.ndarray) -> str:
    return "".join(CHARACTERS[i] for i in indices)
