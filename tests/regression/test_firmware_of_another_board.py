"""`gradmote flash --firmware X.elf` printed the packaged firmware's size, and programmed that of another board without
a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradmote import cli
from gradmote.device.boards import board
from gradmote.device.emulated_firmware import default_firmware
from gradmote.device.flash import emulated, flow
from gradmote.device.flash.elf import board_names, read_segments
from gradmote.errors import DeviceError
from support.firmware import build_firmware, scons_firmware
from support.small_elf import identity, write_elf

BOARD = "mps2-an386"


@pytest.fixture(autouse=True)
def never_programmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated, "program", lambda *arguments: pytest.fail("it was programmed"))
    monkeypatch.setattr(flow.real, "program", lambda *arguments: pytest.fail("it was programmed"))
    monkeypatch.setattr(flow.real, "require_same_board", lambda *arguments: None)
    monkeypatch.setattr(flow, "choose", lambda *arguments: "openocd")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"program" + identity("microbit") + b"more", " is for microbit, not "),
        (identity("mps2-an3861"), " is for mps2-an3861, not "),
        (b"a program of somebody else", "does not say which board it is for"),
        (identity("")[:-1], "does not say which board it is for"),
    ],
)
@pytest.mark.parametrize("name", [BOARD, "nucleo-f446re"])
def test_is_refused_before_anything_is_erased(
    name: str, data: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elf = write_elf(tmp_path / "x.elf", data)
    words = ["flash", "--board", name, "--firmware", str(elf), "--force"]
    words += ["--port", "/dev/ttyACM0"] if name != BOARD else []
    assert cli.main(words) == 1
    error = capsys.readouterr().err
    assert said in error and "nothing was changed" in error and " hint: " in error


def test_a_tool_that_builds_takes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(flow, "choose", lambda *arguments: "platformio")
    elf = write_elf(tmp_path / "x.elf", identity("pico"))
    assert cli.main(["flash", "--board", "pico", "--port", "/dev/ttyACM0", "--firmware", str(elf)]) == 1
    assert "platformio programs what it builds" in capsys.readouterr().err


@pytest.mark.parametrize("kept", [3, 60, 90])
def test_a_damaged_file_is_told(kept: int, tmp_path: Path) -> None:
    elf = write_elf(tmp_path / "x.elf", identity(BOARD) * 10)
    elf.write_bytes(elf.read_bytes()[:kept])
    with pytest.raises(DeviceError, match="x.elf is (damaged|not firmware)"):
        read_segments(elf)


def test_the_size_is_that_of_the_file(tmp_path: Path) -> None:
    """A footprint of another firmware beside it makes no difference."""
    data = identity(BOARD) + bytes(1000)
    elf = write_elf(tmp_path / "x.elf", data)
    assert flow._board_of(elf, board(BOARD)).code == len(data) != board(BOARD).code
    (tmp_path / "footprint.json").write_text('{"name": "mps2-an386", "code": 7}')
    assert flow._board_of(elf, board(BOARD)).code == len(data)


@pytest.mark.device
def test_every_firmware_says_whose_it_is() -> None:
    build_firmware()
    found = {}
    for name in (BOARD, "microbit", "riscv-virt", "nucleo-f446re"):
        scons_firmware(board=name)
        if default_firmware(name).is_file():
            segments = read_segments(default_firmware(name))
            found[name] = board_names(segments)
            assert flow._board_of(default_firmware(name), board(name)).code == sum(len(s.data) for s in segments)
    assert BOARD in found and all(names == {name} for name, names in found.items())
