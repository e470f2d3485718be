"""Rendered blocks of a page, between markers in hand-written text."""

from __future__ import annotations


def replace_block(text: str, name: str, block: str, page: str) -> str:
    """Return the text with `block` between the markers of this name."""
    begin, end = f"<!-- rendered: {name} -->", f"<!-- end: {name} -->"
    assert begin in text and end in text, f"{page} has no markers for {name}"
    before, rest = text.split(begin, 1)
    return f"{before}{begin}\n\n{block}\n\n{end}{rest.split(end, 1)[1]}"
