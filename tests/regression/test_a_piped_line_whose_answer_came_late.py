"""`echo info | gradmote console PORT` left the board after half a second without a byte: on a busy computer before the
answer came, which was lost."""

from __future__ import annotations

import io

import pytest

from gradmote.cli import console

GREETING, ANSWER = "type help\r\n> ", "info\r\nprofile strict\r\n> "


class LateBoard:
    """A line whose board is late, as measured by how long its readers have waited."""

    url = "late"

    def __init__(self, *said: tuple[float, str]) -> None:
        self._said = list(said)
        self.typed = b""

    def write(self, data: bytes) -> None:
        self.typed += data

    def read(self, timeout: float) -> bytes:
        late, text = self._said.pop(0) if self._said else (float("inf"), "")
        if late <= timeout:
            return text.encode()
        self._said.insert(0, (late - timeout, text))
        return b""

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    "said", [[(3, ANSWER)], [(0, GREETING), (3, ANSWER)], [(0, GREETING + ANSWER[:9]), (3, ANSWER[9:])]]
)
def test_it_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: list[tuple[float, str]]
) -> None:
    board = LateBoard(*said)
    monkeypatch.setattr("sys.stdin", io.StringIO("info\n"))
    console._pipe(board)
    assert capsys.readouterr().out == "".join(text for _, text in said)
    assert board.typed == b"info\r"


def test_the_next_line_is_typed_after_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The console types it after a silence too, if what answers has no prompt."""
    board = LateBoard((0, "a\r\nfirst\r\n> "), (0, "b\r\nsecond"))
    monkeypatch.setattr("sys.stdin", io.StringIO("a\nb\nc\n"))
    console._pipe(board)
    assert board.typed == b"a\rb\rc\r"
