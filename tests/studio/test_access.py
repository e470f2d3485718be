"""The studio for everybody: rules of accessibility, the keyboard alone, and windows from 390 to 2560 pixels."""

from __future__ import annotations

from studio import page


def test_no_panel_breaks_a_rule_or_is_wider_than_the_window() -> None:
    seen = page.click("access.mjs")
    assert seen["looks"] >= 48
    assert seen["found"] == []
    assert seen["wide"] == []
    assert seen["console"] == seen["problems"] == []


def test_the_keyboard_reaches_every_control_and_trains() -> None:
    found = page.click("keyboard.mjs")
    assert len(found["walks"]) == 10
    for place, ways in found["walks"].items():
        for way, seen in ways.items():
            assert (seen["missed"], seen["unseen"]) == ([], []), (place, way)
            assert seen["count"] >= 7, (place, way)
    assert found["focus"] == "main"
    assert found["before"] == "0" != found["trained"]
    assert found["problems"] == []
