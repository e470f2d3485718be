"""The text that a board prints between its answers, and what it shows."""

from __future__ import annotations

import re

_KEPT = 1000  # bytes; a greeting takes about 400
_EXCERPT = 40  # characters

#: The last words that the firmware prints when it starts.
GREETING = "type help for the commands"
_FAULT = re.compile(r"restarted after a fault: status \w+, pc \w+")


class DeviceLog:
    """The last bytes that a board printed."""

    def __init__(self) -> None:
        """Begin empty."""
        self._bytes = b""

    def add(self, data: bytes) -> None:
        """Append printed bytes, and keep the last 1000."""
        self._bytes = (self._bytes + data)[-_KEPT:]

    @property
    def is_something(self) -> bool:
        """Whether anything was printed."""
        return bool(self._bytes)

    @property
    def is_text(self) -> bool:
        """Whether nine of ten printed bytes can be read as ASCII."""
        readable = sum(byte in b"\t\r\n" or 32 <= byte < 127 for byte in self._bytes)
        return self.is_something and readable >= 0.9 * len(self._bytes)

    @property
    def excerpt(self) -> str:
        """The last non-empty line, shortened, in quotes."""
        lines = [line.strip() for line in self._text.splitlines() if line.strip()]
        return repr(lines[-1][:_EXCERPT] if lines else "")

    @property
    def greeted(self) -> bool:
        """Whether the board has printed its start-up greeting."""
        return GREETING in self._text

    @property
    def fault(self) -> str:
        """The board's own words for why it restarted; "" if it gave none."""
        found = _FAULT.search(self._text)
        return found.group() if found else ""

    @property
    def _text(self) -> str:
        return self._bytes.decode("ascii", errors="replace")
