"""The King James Version of 1611, whose books differ in style as writers do.

Debian's package bible-kjv has the text (its copyright has expired) in a compressed file, and the program `bible`
(GPL) prints it. This module runs that program: 31,102 verses, 790,000 words.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

from data.missing import MissingData

#: Name of a book that is left out of the general text -> its abbreviation in the output of `bible`.
WRITERS = {"proverbs": "Prv", "ezekiel": "Eze", "revelation": "Rev"}
#: The book on which learning rates were chosen. It is left out too, and no figure is measured on it.
TRIAL = {"job": "Job"}

#: One verse, in lower case without punctuation.
Verse = list[str]


class Books(NamedTuple):
    """The chapters of each left-out book, and the verses of all others together."""

    own: dict[str, list[list[Verse]]]
    others: list[Verse]


@lru_cache(maxsize=1)
def load() -> Books:
    """Return all verses in their order. Raises MissingData if the program `bible` is not installed."""
    if not shutil.which("bible"):
        raise MissingData("the text", "sudo apt-get install bible-kjv")
    command = ["bible", "-f", "gen1:1-rev22:21"]
    text = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    books: dict[str, dict[str, list[Verse]]] = defaultdict(lambda: defaultdict(list))
    for book, chapter, verse in re.findall(r"^(\d?[A-Za-z]+)(\d+):\d+ (.*)$", text, re.MULTILINE):
        books[book][chapter].append(words(verse))
    own = {name: list(books.pop(short).values()) for name, short in (WRITERS | TRIAL).items()}
    return Books(own, [verse for book in books.values() for chapter in book.values() for verse in chapter])


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case: letters, and apostrophes inside a word."""
    return re.findall(r"[a-z]+(?:'[a-z]+)*", text.lower())
