"""The words that a keyboard knows, and the rows that it keeps free for the words of its owner.

Row 0 stands for the beginning of a sentence, row 1 for any word without a row. Spare rows follow, then the most
frequent words of the general text, the most frequent one first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

START, UNKNOWN, SPARE = 0, 1, 2
#: How many words before the next one the network sees.
CONTEXT = 3
#: How often the owner types a new word until it gets a row.
TIMES = 2


class Vocabulary:
    """Gives each word its row, and new words of the owner a spare one as long as there are any."""

    def __init__(self, words: Sequence[str], spare: int) -> None:
        """Give `words` the last rows, after `spare` free ones."""
        self.rows = {word: SPARE + spare + i for i, word in enumerate(words)}
        self.words: list[str | None] = [None] * (SPARE + spare) + list(words)  #: of each row
        self._free = SPARE
        self._end = SPARE + spare
        self._typed: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.words)

    @property
    def own(self) -> list[str]:
        """The words that have been given a spare row."""
        return [word for word in self.words[SPARE : self._free] if word is not None]

    def row(self, word: str) -> int:
        """Return the word's row, or UNKNOWN."""
        return self.rows.get(word, UNKNOWN)

    def type(self, word: str) -> int:
        """Return the row of a word that the owner types; a new word gets one when it is typed again."""
        self._typed[word] += word not in self.rows
        if self._typed[word] == TIMES and self._free < self._end:
            self.words[self._free] = word
            self.rows[word] = self._free
            self._free += 1
            del self._typed[word]
        return self.row(word)

    def suggest(self, scores: np.ndarray, prefix: str = "", count: int = 3) -> list[str]:
        """Return the words with the highest scores that begin with `prefix`; a row without a word is passed over."""
        found: list[str] = []
        for row in np.argsort(-scores, kind="stable"):
            word = self.words[row]
            if word is not None and word.startswith(prefix):
                found.append(word)
                if len(found) == count:
                    break
        return found


def most_frequent(verses: Iterable[Sequence[str]], count: int) -> list[str]:
    """Return the `count` most frequent words; of equally frequent ones, the first in the alphabet."""
    counts = Counter(word for verse in verses for word in verse)
    return sorted(counts, key=lambda word: (-counts[word], word))[:count]


def samples(verses: Iterable[Sequence[str]], vocabulary: Vocabulary) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the words before each word (words, CONTEXT), and of each word (words,), as int32."""
    contexts, following = [], []
    for verse in verses:
        rows = [START] * CONTEXT + [vocabulary.row(word) for word in verse]
        contexts += [rows[i : i + CONTEXT] for i in range(len(verse))]
        following += rows[CONTEXT:]
    return np.array(contexts, np.int32), np.array(following, np.int32)
