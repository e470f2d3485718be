"""The studio's board panel by clicks: page and emulated board train to the same bits, and the state goes both ways."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from gradmote.device.emulator import Emulator
from studio import page, test_training
from support.firmware import build_firmware

pytestmark = pytest.mark.device

BOARD = "mps2-an385"  # its profile is strict, as the page's
EPOCHS, HELD = 2, 90  # percent


@pytest.fixture
def port() -> Iterator[str]:
    """Return the TCP port of an emulated board's serial line."""
    yield from plugged(BOARD)


@pytest.fixture
def fused_port() -> Iterator[str]:
    """Return that of a board whose numerics are not the page's."""
    yield from plugged("mps2-an500")


def plugged(board: str) -> Iterator[str]:
    page.require()
    build_firmware(board=board)
    with Emulator(board) as emulator:
        emulator.take_link().close()
        yield emulator.url.rpartition(":")[2]


def test_a_board_learns_from_the_page(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_training, "EPOCHS", EPOCHS)
    monkeypatch.setattr(test_training, "HELD", HELD / 100)
    pictures = os.environ.get("GRADMOTE_PICTURES", "")
    found = page.click("board.mjs", port, EPOCHS, HELD, pictures, seconds=300)
    assert found["trained"] == test_training.twin(lambda indices: indices) != found["begun"]
    assert found["alike"] == found["anew"] == found["brought"] == found["sent"] == found["trained"]
    assert "accuracy" in found["accuracy"] and "Loss on the board over" in found["curve"]
    assert "the last is of class 0" in found["added"] and "programs" in found["typed"]
    assert "lost the connection" in found["lost"] and "no port was chosen" in found["refused"]
    assert found["problems"] == []


def test_the_page_says_where_a_boards_bits_differ(fused_port: str) -> None:
    found = page.click("board_fused.mjs", fused_port)
    assert "fused" in found["told"] and "its bits differ from this page's" in found["told"]
    assert found["begun"] == found["brought"] == "The page has the same state, byte for byte."
    assert "a fused board's bits differ" in found["compared"]
    assert found["kept"] and found["problems"] == []
