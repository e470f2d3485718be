"""In a checkout, `gradmote flash` asked SCons for files by absolute paths, and SCons did not know how to make them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradmote import cli
from gradmote.device.client import Client
from gradmote.device.emulator import missing
from gradmote.device.flash import emulated
from support.classifier_image import classifier_image
from support.firmware import turn

pytestmark = pytest.mark.device

BOARD = "microbit"


def test_it_builds_the_firmware_of_a_model_and_programs_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if lack := missing(BOARD):
        pytest.skip(lack)
    monkeypatch.setattr(emulated, "_folder", lambda: tmp_path / "emulated")
    model = tmp_path / "flashed.mote"
    model.write_bytes(classifier_image())
    try:
        with turn():
            assert cli.main(["flash", "--board", BOARD, str(model), "--json"]) == 0, capsys.readouterr().err
        said = json.loads(capsys.readouterr().out)
        with Client.connect(said["port"]) as client:
            assert client.read("IMAGE") == model.read_bytes()
    finally:
        emulated.stop(BOARD)
