"""What a board prints between its answers: whether it is text at all, and whether the board has started anew."""

from __future__ import annotations

import re

_KEPT = 1000  # bytes; a greeting takes about 400
_EXCERPT = 40  # characters

#: The firmware prints it last when it starts (firmware/src/console.c).
GREETING = "type help for the commands"
_FAULT = re.compile(r"restarted after a fault: status \w+, pc \w+")


class DeviceLog:
    """The last of what was printed."""

    def __init__(self) -> None:
        self._bytes = b""

    def add(self, data: bytes) -> None:
        self._bytes = (self._bytes + data)[-_KEPT:]

    @property
    def is_something(self) -> bool:
        return bool(self._bytes)

    @property
    def is_text(self) -> bool:
        """Nearly all of it can be read."""
        readable = sum(byte in b"\t\r\n" or 32 <= byte < 127 for byte in self._bytes)
        return self.is_something and readable >= 0.9 * len(self._bytes)

    @property
    def excerpt(self) -> str:
        """Its last line that is not empty, in quotes."""
        lines = [line.strip() for line in self._text.splitlines() if line.strip()]
        return repr(lines[-1][:_EXCERPT] if lines else "")

    @property
    def greeted(self) -> bool:
        return GREETING in self._text

    @property
    def fault(self) -> str:
        """Why it started anew, in its words; "" where it does not say."""
        found = _FAULT.search(self._text)
        return found.group() if found else ""

    @property
    def _text(self) -> str:
        return self._bytes.decode("ascii", errors="replace")
