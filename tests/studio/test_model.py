"""The model step of the studio: the memory map by mouse, keys and touch, its tables, and images without a report."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from bindings.test_node import images

from gradmote.device.boards import boards
from studio import page


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Look at an example, then at an image of another network."""
    image = tmp_path_factory.mktemp("model") / "own.mote"
    image.write_bytes(images()["step"])
    reported = page.click("model.mjs", image)
    assert reported["problems"] == []
    return reported


@cache
def report() -> dict[str, Any]:
    """Return the report beside the example."""
    reported: dict[str, Any] = json.loads((page.built() / "examples" / "digits-cnn.json").read_text())
    return reported


def region(name: str) -> str:
    """Return what the page says about a region of the arena."""
    row = next(row for row in report()["arena"] if row["name"] == name)
    return f"{name} {row['size']:,} B at {row['offset']:,}, always"


def test_each_block_of_the_map_tells_its_name(found: dict[str, Any]) -> None:
    step = next(row for row in report()["programs"] if row["kind"] == "step")
    lasting = [row["name"] for row in report()["arena"] if row["size"] and row["name"] != "scratch"]
    assert sorted(found["blocks"]) == sorted([*lasting, *(span["name"] for span in step["spans"])])
    assert found["hovered"] == region("moments")
    assert found["tapped"] == region("inputs")
    assert [found["first"], found["third"]] == [region(lasting[0]), region(lasting[2])]
    assert any(found["last"].startswith(span["name"]) for span in step["spans"])
    assert 0 < found["infer"] < len(found["blocks"])


def test_tables_have_the_figures_of_the_report(found: dict[str, Any]) -> None:
    assert f"{report()['arena_bytes']:,} B" in found["figures"]
    assert f"{report()['image_bytes']:,} B" in found["figures"]
    assert [row[0] for row in found["layers"]] == [layer["name"] for layer in report()["layers"]]
    sizes = {row["name"]: f"{row['size']:,}" for row in report()["arena"] if row["size"]}
    assert {row[0]: row[2] for row in found["arena"]} == sizes


def test_boards_are_judged_as_by_the_host_tools(found: dict[str, Any]) -> None:
    arena, image = report()["arena_bytes"], report()["image_bytes"]
    verdicts = {f"{board.title} {board.name}": board.lacks(arena, image) for board in boards()}
    reported = {name: f"lacks {' and '.join(lacks)}" if lacks else "yes" for name, lacks in verdicts.items()}
    assert {row[0]: row[1] for row in found["boards"]} == reported
    assert {"yes"} < set(reported.values())


def test_an_image_alone_says_what_it_is_and_what_is_missing(found: dict[str, Any]) -> None:
    assert found["alone"]["maps"] == 0
    assert "The compiler would also show" in found["alone"]["says"]
    assert [row[1] for row in found["alone"]["tensors"]] == ["input", "label", "output"]
    assert found["alone"]["tensors"][0][2] == "4 × 64"
    assert "notes.txt is not a model" in found["refused"]
