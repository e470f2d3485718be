"""Reads the text that a board prints for people."""

from __future__ import annotations

from gradmote.device.link import Link
from gradmote.device.protocol import Parser

#: How long a board may print nothing before a test fails, in seconds.
SILENCE = 60.0


def read_until(link: Link, wanted: str) -> str:
    """Return the text that the board prints until it contains `wanted`.

    Frames are left out: if a slow computer repeated a request, the second reply may still be under way.
    """
    text, parser = b"", Parser()
    while wanted.encode() not in text:
        data = link.read(SILENCE)
        assert data, f"nothing more within {SILENCE:.0f} s after {text!r}"
        text += b"".join(item for item in parser.feed(data) if isinstance(item, bytes))
    return text.decode()


def read_prompt(link: Link) -> str:
    """Return the text that the board prints up to its next prompt."""
    return read_until(link, "\n> ")
