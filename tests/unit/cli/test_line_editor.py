"""Return the line that a person types at a board."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote.cli.line_editor import KEYS, Echo, LineEditor, split_keys

UP, DOWN, LEFT, RIGHT = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"


class Screen:
    """The last line of a terminal as it is shown, and the column of its cursor."""

    def __init__(self) -> None:
        self.line: list[str] = []
        self.at = 0

    def write(self, text: str) -> None:
        for part in re.findall(r"\x1b\[\d*[A-Z]|.", text, re.DOTALL):
            if part == "\r":
                self.at = 0
            elif part == "\n":
                self.line, self.at = [], 0
            elif part == "\x1b[K":
                del self.line[self.at :]
            elif part.startswith("\x1b["):
                self.at -= int(part[2:-1])
            else:
                self.line[self.at : self.at + 1] = part
                self.at += 1
        assert 0 <= self.at <= len(self.line)


def editor(columns: int = 80) -> tuple[LineEditor, Screen]:
    screen = Screen()
    made = LineEditor(screen.write, lambda: columns, ["lr", "load", "learn"])
    made.show("> ")
    return made, screen


def type_all(line: LineEditor, keys: str) -> list[str]:
    return [done for key in split_keys(keys)[0] if (done := line.type(key)) is not None]


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("hepl\x7f\x7flp", "help"),
        (f"hlp{LEFT}{LEFT}e", "help"),
        (f"hlp{LEFT}{LEFT}e{RIGHT}{RIGHT}!", "help!"),
        ("\x01x", "x"),
        ("bc\x01a\x05d", "abcd"),
        ("ab cd\x17e", "ab e"),
        ("abc\x15d", "d"),
        ("abc\x01\x1b[3~", "bc"),
        (f"abc{LEFT}\x0b", "ab"),
        ("größe\x7f", "größ"),
        ("lo\t1", "load 1"),
        ("l\t", "l"),
        ("\x1b[99;5u\x1bOZ\x1bxa", "a"),
    ],
)
def test_keys(keys: str, text: str) -> None:
    line, screen = editor()
    assert type_all(line, keys + "\r") == [text]
    assert "".join(screen.line) == f"> {text}"


def test_history() -> None:
    line, _ = editor()
    assert type_all(line, "first\rsecond\rsecond\r") == ["first", "second", "second"]
    assert type_all(line, f"{UP}{UP}\r") == ["first"]
    assert type_all(line, f"new{UP}{UP}{UP}{UP}{DOWN}{DOWN}{DOWN}{DOWN}\r") == ["new"]


def test_what_the_board_prints_stands_above_the_line() -> None:
    line, screen = editor()
    type_all(line, f"abc{LEFT}")
    line.show("loss 0.5")
    assert "".join(screen.line) == "> loss 0.5abc" and screen.at == len("> loss 0.5ab")
    line.show("\r\n> ")
    assert "".join(screen.line) == "> abc" and screen.at == len("> ab")


@given(st.lists(st.sampled_from([*KEYS, *"aä漢 "])), st.integers(4, 30))
def test_the_screen_agrees_with_the_line(keys: list[str], columns: int) -> None:
    """They agree for any keys; a line that is too long is shown around the cursor."""
    line, screen = editor(columns)
    for key in keys:
        line.type(key)
        if key in "\r\n":
            line.show("\r\n> ")
        shown = "".join(screen.line)
        assert 0 <= line.cursor <= len(line.text) and shown.startswith(line.before)
        assert shown.removeprefix(line.before) in line.text
        if not line.text.strip("a "):
            assert screen.at <= max(columns - 1, len(line.before) + 1)


def test_keys_that_come_in_pieces() -> None:
    assert split_keys("a\x1b[") == (["a"], "\x1b[")
    assert split_keys("\x1b[1;5Cb\x1b") == (["\x1b[1;5C", "b"], "\x1b")


@given(st.lists(st.text("ab"), max_size=4), st.text("ab \r", max_size=5))
def test_an_echo_is_left_out_once(lines: list[str], between: str) -> None:
    echo = Echo()
    printed = ""
    for line in lines:
        echo.expect(line)
        printed += echo.without(f"{line}\r\n{between}\n> ")
    assert printed == f"\r\n{between}\n> " * len(lines)


def test_a_board_that_does_not_echo_is_shown_whole() -> None:
    echo = Echo()
    echo.expect("train")
    assert echo.without("trouble\r\ntrain\r\n") == "trouble\r\ntrain\r\n"
