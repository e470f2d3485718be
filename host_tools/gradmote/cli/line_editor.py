"""A line that a person types on a raw terminal, below the text that a board prints meanwhile.

It supports arrow keys, a history, and the usual keys of shells.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from unicodedata import category

from rich.cells import cell_len

#: For each key, as sent by terminals, the method of LineEditor to call.
KEYS = {
    "\r": "enter", "\n": "enter", "\x7f": "erase", "\x08": "erase", "\x04": "delete", "\x1b[3~": "delete",
    "\x02": "left", "\x1b[D": "left", "\x1bOD": "left", "\x06": "right", "\x1b[C": "right", "\x1bOC": "right",
    "\x01": "to_start", "\x1b[H": "to_start", "\x1bOH": "to_start", "\x1b[1~": "to_start", "\x1b[7~": "to_start",
    "\x05": "to_end", "\x1b[F": "to_end", "\x1bOF": "to_end", "\x1b[4~": "to_end", "\x1b[8~": "to_end",
    "\x10": "older", "\x1b[A": "older", "\x1bOA": "older", "\x0e": "newer", "\x1b[B": "newer", "\x1bOB": "newer",
    "\x15": "erase_all", "\x0b": "erase_rest", "\x17": "erase_word", "\t": "complete",
}  # fmt: skip
_KEY = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b[^\[O]|[^\x1b]", re.DOTALL)
_CLEAR = "\r\x1b[K"


def split_keys(text: str) -> tuple[list[str], str]:
    """Return the keys in the text from a terminal, and the beginning of an incomplete key."""
    keys, at = [], 0
    while found := _KEY.match(text, at):
        keys.append(found[0])
        at = found.end()
    return keys, text[at:]


@dataclass
class LineEditor:
    """The line being typed.

    `write` writes to the terminal, and `columns` returns its current width. Tab completes `words` at the
    beginning of a line.
    """

    write: Callable[[str], None]
    columns: Callable[[], int]
    words: Sequence[str] = ()
    text: str = ""
    cursor: int = 0
    before: str = ""  #: the board's text in this line
    history: list[str] = field(default_factory=list)
    _chosen: int = 0  # index into the history; its length means the new line
    _new: str = ""

    def type(self, key: str) -> str | None:
        """Take a key. Return the line if the key ends it, else None."""
        name = KEYS.get(key)
        if name == "enter":
            return self.enter()
        if name is not None:
            getattr(self, name)()
        elif len(key) == 1 and category(key)[0] != "C":
            self.text = self.text[: self.cursor] + key + self.text[self.cursor :]
            self.cursor += 1
        self.draw()
        return None

    def show(self, text: str) -> None:
        """Print the board's text above the typed line."""
        if self.text:
            self.write(_CLEAR + self.before)
        self.write(text)
        self.before = (self.before + text).rpartition("\n")[2].rpartition("\r")[2]
        if self.text:
            self.draw()

    def draw(self) -> None:
        """Print the line again, as much of it around the cursor as fits."""
        room = max(self.columns() - cell_len(self.before) - 1, 1)
        start = 0
        while cell_len(self.text[start : self.cursor]) >= room:
            start += 1
        end = len(self.text)
        while cell_len(self.text[start:end]) > room:
            end -= 1
        back = cell_len(self.text[self.cursor : end])
        self.write(_CLEAR + self.before + self.text[start:end] + (f"\x1b[{back}D" if back else ""))

    # ---- Keys

    def enter(self) -> str:
        """Return the line and begin a new one. The board's echo ends the line on the terminal."""
        self.to_end()
        self.draw()
        line = self.text
        if line.strip() and self.history[-1:] != [line]:
            self.history.append(line)
        self.forget()
        self.before += line
        return line

    def forget(self) -> None:
        """Discard the line; draw nothing."""
        self.text, self.cursor, self._chosen, self._new = "", 0, len(self.history), ""

    def left(self) -> None:
        """Move the cursor one character to the left."""
        self.cursor = max(self.cursor - 1, 0)

    def right(self) -> None:
        """Move the cursor one character to the right."""
        self.cursor = min(self.cursor + 1, len(self.text))

    def to_start(self) -> None:
        """Move the cursor to the start of the line."""
        self.cursor = 0

    def to_end(self) -> None:
        """Move the cursor to the end of the line."""
        self.cursor = len(self.text)

    def erase(self) -> None:
        """Erase the character before the cursor."""
        if self.cursor:
            self._cut(self.cursor - 1, self.cursor)

    def delete(self) -> None:
        """Erase the character at the cursor."""
        self._cut(self.cursor, self.cursor + 1)

    def erase_all(self) -> None:
        """Erase the whole line."""
        self._cut(0, len(self.text))

    def erase_rest(self) -> None:
        """Erase the line from the cursor to its end."""
        self._cut(self.cursor, len(self.text))

    def erase_word(self) -> None:
        """Erase the word before the cursor."""
        kept = self.text[: self.cursor].rstrip()
        self._cut(kept.rfind(" ") + 1, self.cursor)

    def _cut(self, start: int, end: int) -> None:
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start

    def older(self) -> None:
        """Show the line before this one in the history."""
        self._choose(self._chosen - 1)

    def newer(self) -> None:
        """Show the line after this one in the history, or the new line after the last one."""
        self._choose(self._chosen + 1)

    def _choose(self, index: int) -> None:
        if not 0 <= index <= len(self.history):
            return
        if self._chosen == len(self.history):
            self._new = self.text
        self._chosen = index
        self.text = self.history[index] if index < len(self.history) else self._new
        self.to_end()

    def complete(self) -> None:
        """Complete the word as far as all matching commands agree."""
        found = [word for word in self.words if word.startswith(self.text)] if self.cursor == len(self.text) else []
        if found:
            shared = _common_start(found)
            self.text = f"{shared} " if len(found) == 1 else shared
            self.to_end()


def _common_start(words: Sequence[str]) -> str:
    first, last = min(words), max(words)
    return next((first[:i] for i, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), first)


class Echo:
    """A filter for a board's output that removes the echo of sent lines.

    A board prints each line that it receives, but the terminal already shows that line.
    """

    def __init__(self) -> None:
        """Begin without an expected line."""
        self._lines: deque[str] = deque()
        self._matched = 0

    def expect(self, line: str) -> None:
        """Expect the board to print this line, in one piece, before the next line feed."""
        if line:
            self._lines.append(line)

    def without(self, text: str) -> str:
        """Return what the board printed besides the expected lines."""
        return "".join(map(self._beside, text))

    def _beside(self, character: str) -> str:
        if not self._lines:
            return character
        line = self._lines[0]
        if line[self._matched] == character:
            self._matched += 1
            if self._matched == len(line):
                self._next()
            return ""
        printed, self._matched = line[: self._matched], 0
        if character == "\n":  # the board printed something else
            self._next()
        elif line[0] == character:
            self._matched = 1
            return printed
        return printed + character

    def _next(self) -> None:
        self._lines.popleft()
        self._matched = 0
