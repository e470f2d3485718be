"""gradmote flash --calibrate, on an emulated board, whose figures mean nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gradmote import cli
from gradmote.cli import flash
from gradmote.device.boards import board
from gradmote.device.flash import emulated
from gradmote.errors import DataError, DeviceError
from gradmote.report.bench.cycles.calibration import read_measured
from gradmote.report.bench.cycles.on_board import Request, build_micro_firmware, compared, read_section

pytestmark = pytest.mark.device


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep emulated boards in a folder of the test's own, so that one that a person left running stays."""
    monkeypatch.setattr(emulated, "_folder", lambda: tmp_path / "emulated")


@pytest.mark.parametrize("name", ["mps2-an386", "microbit"])
def test_it_runs_prints_and_is_read(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["flash", "--board", name, "--calibrate", "--emulated"]) == 0
    printed = capsys.readouterr().out
    assert "# An emulator counted them: these figures mean nothing." in printed
    assert f'board = "{name}"' in printed and "\nturns = 1000\n" in printed
    measured = read_measured(printed.replace("emulated = true\n", ""))
    assert {"loop", "nops", "load_dependent", "branch_taken"} <= measured.cycles.keys()
    assert ("vfma_dependent" in measured.cycles) == (name == "mps2-an386")
    assert emulated.running(name) is None
    with pytest.raises(DataError, match="whose cycles mean nothing"):
        read_measured(printed)


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["flash", "--board", "mps2-an385", "--calibrate", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["emulated"] and found["measured"]["board"] == "mps2-an385"
    assert {kernel: modelled for kernel, (_, modelled) in found["turns"].items()}["load_apart"] == 28


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--board", "esp32-c3"], "has no firmware of micro-kernels"),
        (["--board", "teensy41"], "has no firmware of micro-kernels"),
        (["--board", "nope"], "there is no board nope"),
        (["--board", "mps2-an386", __file__], "measures without a model"),
    ],
)
def test_refusals(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["flash", "--calibrate", *arguments]) == 1
    assert said in capsys.readouterr().err


def test_what_a_real_part_prints_gives_entries_of_the_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The part: a nucleo-f446re whose loads take a cycle more."""
    part = board("nucleo-f446re")
    try:
        elf = build_micro_firmware(part.name, tmp_path)
    except DeviceError as error:
        pytest.skip(f"{error} - ./run setup installs it")
    text = '[measured]\nboard = "nucleo-f446re"\ncounter = "DWT"\nturns = 1000\nloop = 4000\n'
    text += "adds_dependent = 20000\nload_apart = 36000\n"
    flash._show(Request(part), compared(part, elf, text, is_emulated=False))
    printed = capsys.readouterr().out
    assert '#   load = { issue = 3, source = "measured" }\n' in printed
    assert re.search(r"load_apart +36.00 +28.00\n", printed)
    assert read_measured(printed).cycles["load_apart"] == 36000


class Silent:
    """A line on which other things are printed."""

    url = "/dev/ttyX"

    def __init__(self, *parts: bytes) -> None:
        self.parts = list(parts)

    def read(self, timeout: float) -> bytes:
        return self.parts.pop(0) if self.parts else b""


def test_a_section_that_began_before_anybody_listened() -> None:
    whole = b'[measured]\r\nboard = "b"\r\ncounter = "DWT"\r\nturns = 1000\r\nloop = 4\r\n# end\r\n'
    text = read_section(Silent(b"s = 7\r\n# end\r\n", whole[:20], whole[20:]))
    assert read_measured(text).cycles == {"loop": 4}


def test_a_board_that_prints_something_else() -> None:
    with pytest.raises(DeviceError, match="printed no measured cycles"):
        read_section(Silent(b"gradmote> "), seconds=0.01)
