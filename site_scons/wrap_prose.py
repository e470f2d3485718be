"""Wrap the prose of Markdown pages: `python site_scons/wrap_prose.py PAGE...`. Needs only a Python.

It refills paragraphs and list items with a line over the width. Tables, code, headings, comments and everything that is
narrow enough stay as they are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

WIDTH = 100
FENCED = re.compile(r"(^ *```.*?^ *```$|^<!--.*?-->$)", re.M | re.S)
#: The beginning of a list item, with the spaces after it.
ITEM = re.compile(r"( *)(?:[-*]|\d+\.) +")
#: Tables, headings, comments and quotations, which keep their lines.
OTHER = re.compile(r" *(\||#|<|>|\[\^)")
INDENTED_CODE = re.compile(r"    (?! *(?:[-*]|\d+\.) )")
#: An unbreakable word: inline code, and anything else without a space.
WORD = re.compile(r"(?:`[^`]*`|[^\s`])+")
#: A word that would begin a list, a heading or a quotation at the start of a line.
MARKER = re.compile(r"([-*+>#|]|\d+[.)])$")


def wrapped(text: str, width: int = WIDTH) -> str:
    """Return a page with its wide prose refilled."""
    parts = FENCED.split(text)
    return "".join(part if index % 2 else "\n".join(lines(part, width)) for index, part in enumerate(parts))


def too_wide(text: str, width: int = WIDTH) -> list[str]:
    """Return the lines of a page's prose that are too wide."""
    prose = [line for part in FENCED.split(text)[::2] for is_prose, block in blocks(part) if is_prose for line in block]
    return [line for line in prose if len(line) > width]


def lines(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a text without fenced code."""
    for is_prose, block in blocks(text):
        yield from filled(block, width) if is_prose and max(map(len, block)) > width else block


def blocks(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield paragraphs and items, which are prose, and each other line as a block of its own."""
    block: list[str] = []
    in_prose = False
    for line in text.split("\n"):
        is_prose = bool(line.strip()) and not OTHER.match(line) and (in_prose or not INDENTED_CODE.match(line))
        if block and not (in_prose and is_prose and not ITEM.match(line)):
            yield in_prose, block
            block = []
        block.append(line)
        in_prose = is_prose
    yield in_prose, block


def filled(block: list[str], width: int) -> list[str]:
    """Return a paragraph or an item in lines of at most `width` characters."""
    item = ITEM.match(block[0])
    first = item[0] if item else re.match(" *", block[0])[0]  # type: ignore[index]
    later = " " * len(first)
    result = [first]
    for word in WORD.findall(" ".join(block)[len(first) :]):
        fits = len(result[-1]) + 1 + len(word) <= width or MARKER.match(word)
        if result[-1] in (first, later):
            result[-1] += word
        elif fits:
            result[-1] += f" {word}"
        else:
            result.append(later + word)
    return result


def main() -> None:
    for path in map(Path, sys.argv[1:]):
        path.write_text(wrapped(path.read_text()))


if __name__ == "__main__":
    main()
