"""Reads what a board prints for people."""

from __future__ import annotations

import time

from gradmote.device.link import Link


def read_until(link: Link, wanted: str) -> str:
    """Return what the board prints until `wanted` is in it. Fails after 20 s."""
    text = b""
    deadline = time.monotonic() + 20
    while wanted.encode() not in text:
        assert time.monotonic() < deadline, text
        text += link.read(0.2)
    return text.decode()


def read_prompt(link: Link) -> str:
    """Return what the board prints, up to its next prompt."""
    return read_until(link, "\n> ")
