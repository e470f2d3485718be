"""Speakers of eight words, each with a distinct voice and habits: SYNTHETIC speech, as in data/spoken_words.py.

A speaker has an accent and a variant of espeak-ng's voices, a usual speed and a usual pitch. Device owners are not
alike (non-IID): each says the words in different proportions, drawn from a Dirichlet distribution (Hsu et al.,
2019, "Measuring the Effects of Non-Identical Data Distribution"), and the numbers of recordings are log-normal. New
speakers say all words equally often, in variants that no owner has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradmote.errors import DataError

from .spoken_words import WORDS, at_a_microphone, spoken

ACCENTS = (
    "en-us", "en-gb", "en-gb-scotland", "en-029", "en-gb-x-rp", "en-gb-x-gbclan", "en-gb-x-gbcwmd", "en-us-nyc",
)  # fmt: skip
OWNERS = (
    "m1", "m2", "m3", "m4", "m5", "m6", "f1", "f2", "f3", "Alex", "Alicia", "Andrea", "Andy", "Denis", "Diogo", "Gene",
    "Hugo", "Lee", "Marco", "Mike", "adam", "antonio", "aunty", "benjamin", "caleb", "david", "ed", "john", "linda",
    "max",
)  # fmt: skip
NEW = ("Michael", "f5", "m7", "f4", "steph", "m8", "paul", "Annie", "zac", "belinda")

MEDIAN, DEVIATION, FEWEST = 60, 0.5, 8  #: of an owner's recordings; the deviation is of their logarithm
TAKES = 4  #: recordings of each word by a new speaker

_NEW_SEED = 1_000_000  # the new speakers are the same for all seeds of the owners


@dataclass(frozen=True)
class Speaker:
    """A voice of espeak-ng, its usual speed in words per minute and pitch (0 .. 99), and the words it says (n,)."""

    voice: str
    speed: int
    pitch: int
    words: np.ndarray

    def record(self, drawn: np.random.Generator) -> np.ndarray:
        """Return recordings (n, CLIP) of its words, each a little faster or slower, and higher or lower, than usual."""
        speeds, pitches = drawn.integers(-10, 11, len(self.words)), drawn.integers(-8, 9, len(self.words))
        wanted = [
            (int(word), self.voice, self.speed + int(faster), self.pitch + int(higher))
            for word, faster, higher in zip(self.words, speeds, pitches)
        ]
        return np.stack([at_a_microphone(sound, drawn) for sound in spoken(wanted)])


def owners(count: int, alpha: float, drawn: np.random.Generator) -> list[Speaker]:
    """Return the device owners. alpha: with 0.1, each says mostly one or two words; with 100, all equally often.

    Raises DataError if there are not enough, or alpha is not above 0.
    """
    if not 0 < alpha < np.inf:
        raise DataError(f"alpha is {alpha}", "give a number above 0, such as 0.5")
    numbers = drawn.lognormal(np.log(MEDIAN), DEVIATION, count).astype(int).clip(FEWEST)
    shares = drawn.dirichlet([alpha] * len(WORDS), count)
    said = [drawn.choice(len(WORDS), number, p=share) for number, share in zip(numbers, shares)]
    return _speakers(OWNERS, said, drawn)


def newcomers(count: int) -> list[Speaker]:
    """Return the speakers without a device. Raises DataError if there are not enough."""
    words = np.repeat(np.arange(len(WORDS)), TAKES)
    return _speakers(NEW, [words] * count, np.random.default_rng(_NEW_SEED))


def _speakers(variants: Sequence[str], said: Sequence[np.ndarray], drawn: np.random.Generator) -> list[Speaker]:
    if not 1 <= len(said) <= len(variants):
        raise DataError(f"there are no {len(said)} such speakers", f"take 1 to {len(variants)} of them")
    voices = [f"{ACCENTS[n % len(ACCENTS)]}+{variant}" for n, variant in enumerate(variants[: len(said)])]
    speeds, pitches = drawn.integers(125, 176, len(voices)), drawn.integers(25, 71, len(voices))
    return [Speaker(*one) for one in zip(voices, map(int, speeds), map(int, pitches), said)]
