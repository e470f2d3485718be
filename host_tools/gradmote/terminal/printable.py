"""Text that is safe to show on a terminal.

Names come from files and from the serial line. They may contain characters that control a terminal:
escape sequences that rewrite earlier output, or marks that change the direction of writing. Such
characters are printed as escapes.
"""

from __future__ import annotations

import re

#: Control characters except the line feed; marks of direction, line and paragraph; halves of
#: surrogate pairs.
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Return `text` with backslash escapes instead of control characters; line feeds stay."""
    return _CONTROLS.sub(_escaped, text)


def in_one_line(text: str) -> str:
    """Return printable(text) with line feeds escaped too, for names in sentences and tables."""
    return printable(text).replace("\n", "\\n")


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
