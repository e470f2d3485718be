"""The studio page in Chromium: it opens, its steps show, models open, and a bad file leaves it as it was."""

from __future__ import annotations

from pathlib import Path

from bindings.test_node import images

from studio import page


def test_the_page_opens_models_and_refuses_what_is_none(tmp_path: Path) -> None:
    image = tmp_path / "own.mote"
    image.write_bytes(images()["step"])
    found = page.click("first.mjs", image)
    assert found["problems"] == []
    assert found["steps"] == {name: name.capitalize() for name in ("model", "data", "train", "teach", "board")}
    assert found["example"] == "digits-cnn.mote"
    assert "GM_ERR" in found["refused"]
    assert found["kept"] == "own.mote"


def test_files_that_are_dropped_anywhere_are_taken(tmp_path: Path) -> None:
    image = tmp_path / "own.mote"
    image.write_bytes(images()["step"])
    found = page.click("drop.mjs", image)
    assert found["problems"] == []
    assert found["shown"] == ["Model", "Data"]
