"""The report of analyze on a board before flashing: room, fit, and refusals."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gradmote.cli import main
from gradmote.device.boards import Board, board, known, room
from gradmote.errors import DeviceError
from gradmote.report.analyze import analyze_image
from gradmote.report.analyze.html import page
from gradmote.report.analyze.tables import board_rows, verdict
from render.spec import tomllib
from support.classifier_image import classifier_image
from support.page import Page

WAY = ("main", "work")
BUFFERS = {"line": 90, "pad": 6}
SMALL = Board(
    "small", "Small", "Cortex-M0", "strict", 8_000_000, (), 4096, 512, 300, WAY, BUFFERS, 9000, 8000, {}, 0, 300, 0
)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "classifier.mote"
    path.write_bytes(classifier_image())
    return path


MEASURED = [name for name in known() if board(name).measured]


def test_room_is_what_firmware_leaves():
    for name in MEASURED:
        found = board(name)
        ram, flash = room(name)
        assert ram + found.static_ram + found.stack_size == found.ram and flash == found.image_area
        assert sum(found.code_parts.values()) == found.code and 0 <= found.code_parts["alignment"] < 0.01 * found.code
        assert 0 < found.stack_bound <= found.stack_size and found.stack_way[0] == "reset_handler"


def test_an_arena_that_was_not_measured_is_the_one_that_is_set_aside(root):
    for name in known().keys() - MEASURED:
        (metadata,) = root.glob(f"firmware/boards/*/{name.replace('-', '_')}/board.toml")
        found, memory = board(name), tomllib.loads(metadata.read_text())["memory"]
        assert room(name) == (memory["arena"], memory["image"])
        assert found.ram == memory["ram"] and found.static_ram > 2048 and found.code == sum(found.code_parts.values())
        assert found.code < found.flash and not found.emulator


def test_estimates_are_marked(path, capsys):
    assert main(["boards"]) == 0
    shown = capsys.readouterr().out
    assert f"~{board('pico').code:,}" in shown and f"~{board('mps2-an386').code:,}" not in shown
    assert main(["analyze", str(path), "--board", "pico"]) == 0
    said = capsys.readouterr().out
    assert "pico holds it" in said and "of 204,800 that are left for it" in said and "an estimate" in said


def test_the_firmware_that_was_built_is_asked_first(tmp_path, monkeypatch):
    folder = tmp_path / "firmware" / "mps2_an386"
    folder.mkdir(parents=True)
    monkeypatch.setenv("GRADMOTE_BUILD", str(tmp_path))
    released = known()["mps2-an386"]
    assert board("mps2-an386").code == released["code"]
    (folder / "footprint.json").write_text(json.dumps({**released, "code": 12}))
    assert board("mps2-an386").code == 12


def test_what_is_too_large_is_said_to_the_byte():
    arena = 4096 - 512 - 96
    assert SMALL.lacks(arena, 300) == []
    assert SMALL.lacks(arena + 4, 301) == ["4 B of RAM", "1 B of flash"]
    assert replace(SMALL, code=9001).lacks(0, 0) == ["1 B of flash"]


def test_the_tables_add_up_to_all_ram(path):
    report = analyze_image(path, path.name)
    report.board = SMALL
    rows = {row[0]: row[1] for row in board_rows(report, SMALL)[1] if row}
    parts = [int(rows[name].replace(",", "")) for name in ("arena", "line", "pad", "stack")]
    assert int(rows["all RAM in use"].replace(",", "")) == sum(parts) == report.arena + 96 + 512
    fits, sentence = verdict(report)
    assert not fits and "lacks" in sentence and f"{report.image - 300:,} B of flash" in sentence
    text = page(report)
    assert "class='not'" in text and sentence in text
    Page(text)


def test_the_command_says_whether_the_board_holds_it(path, capsys):
    assert main(["analyze", str(path), "--board", "mps2-an386", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["board"]["fits"] and reported["board"]["arena_available"] >= reported["arena_bytes"]
    assert main(["analyze", str(path), "--board", "mps2-an386"]) == 0
    assert "mps2-an386 holds it" in capsys.readouterr().out.splitlines()[0]


def test_the_command_lists_what_each_board_has_left(capsys):
    assert main(["boards", "--json"]) == 0
    reported = {row["name"]: row for row in json.loads(capsys.readouterr().out)["boards"]}
    assert list(reported) == sorted(known())
    assert all((row["arena_available"], row["image_area"]) == room(name) for name, row in reported.items())
    assert main(["boards"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "mps2-an386" in line)
    found = board("mps2-an386")
    for shown in (
        "Cortex-M4F",
        "strict",
        "25",
        f"{found.arena_available:,}",
        f"{found.all_flash:,}",
        f"{found.code:,}",
    ):
        assert f" {shown} " in line


def test_an_unknown_board_is_refused_with_the_list(path, capsys):
    assert main(["analyze", str(path), "--board", "mps3"]) == 1
    said = capsys.readouterr().err
    assert "there is no board mps3" in said and "mps2-an386" in said
    with pytest.raises(DeviceError):
        room("")
