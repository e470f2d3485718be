"""Text from files in messages: in one line, and short."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import shorten
from ..terminal.printable import in_one_line

#: The most characters of a cell or a name in a message.
_LONGEST = 40
#: The most names in a list.
_NAMED = 12


def named(text: object) -> str:
    """Return a path, a name or an exception's text, in one line."""
    return in_one_line(str(text))


def quoted(text: str) -> str:
    """Return the text of a cell or a name in quotes, shortened if it is long."""
    return f"'{in_one_line(shorten(text, _LONGEST))}'"


def listed(texts: Sequence[object], most: int = _NAMED) -> str:
    """Return the texts separated by commas; those after the first `most` are counted."""
    shown = ", ".join(in_one_line(shorten(str(text), _LONGEST)) for text in texts[:most])
    return shown + (f" and {len(texts) - most:,} more" if len(texts) > most else "")


def dims(shape: Sequence[int | None]) -> str:
    """Return the shape of a sample as text: `1x8x8`, `one number`; an open dimension is `?`."""
    return "x".join("?" if dim is None else str(dim) for dim in shape) or "one number"
