"""The studio is accessible: its rules hold, the keyboard is enough, and windows may have 390 to 2560 pixels."""

from __future__ import annotations

from typing import Any

import pytest

from studio import page
from studio.test_board import port

__all__ = ["port"]


def assert_in_order(seen: dict[str, Any], looks: int) -> None:
    assert seen["looks"] == looks
    assert seen["broken"] == []
    assert seen["wide"] == []
    assert seen["console"] == seen["problems"] == []
    assert_reached(seen["walks"])


def assert_reached(walks: dict[str, Any]) -> None:
    """The keyboard reaches every control in both directions, and each shows that it has the focus."""
    for place, ways in walks.items():
        for way, seen in ways.items():
            assert (seen["missed"], seen["unseen"]) == ([], []), (place, way)
            assert seen["count"] >= 7, (place, way)


def test_no_panel_breaks_a_rule_or_is_wider_than_the_window() -> None:
    assert_in_order(page.click("access.mjs", seconds=300), 46)


@pytest.mark.device
def test_nor_does_that_of_a_board_that_is_connected(port: str) -> None:
    assert_in_order(page.click("access_board.mjs", port), 8)


def test_the_keyboard_reaches_every_control_and_trains() -> None:
    found = page.click("keyboard.mjs")
    assert len(found["walks"]) == 10
    assert_reached(found["walks"])
    assert found["focus"] == "main"
    assert found["before"] == "0" != found["trained"]
    assert found["problems"] == []
