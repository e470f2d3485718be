"""firmware/platformio.ini's boards over a core of Arduino. Their platforms are in a registry that is not asked here:
what this project's side of the build does is tested with a platform that stands in for one.
"""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import numpy as np
import pytest

from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.client import Client
from support.arduino_board import BOARDS, STAND_IN, Running
from support.classifier_image import LABELS, PIXELS, classifier_image
from support.pio import Pio


@pytest.fixture(scope="module")
def settings(root: Path) -> configparser.ConfigParser:
    found = configparser.ConfigParser(interpolation=None)
    found.read(root / "firmware" / "platformio.ini")
    return found


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_has_its_environment(name: str, settings: configparser.ConfigParser) -> None:
    reported, memory = settings[f"env:{name}"], BOARDS[name].table["memory"]
    assert reported["extends"] == "arduino" and reported["platform"] and reported["board"]
    assert BOARDS[name].table["upload"] == {"platformio": name}
    if "board_upload.maximum_size" in reported:
        assert int(reported["board_upload.maximum_size"]) == memory["flash"]
    if "board_build.filesystem_size" in reported:
        assert int(reported["board_build.filesystem_size"].rstrip("m")) << 20 == memory["image"] + memory["checkpoint"]
    limits = ("board_upload.maximum_size", "board_build.filesystem_size", "board_build.partitions")
    assert any(limit in reported for limit in limits), "the program may grow into the files"


@pytest.fixture(scope="module")
def program(pio: Pio, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The firmware of the Pico, as PlatformIO builds it over the stand-ins."""
    before, name, after = (root / "firmware" / "platformio.ini").read_text().partition("[env:pico]")
    stand_in = f"platform = symlink://{STAND_IN / 'platform'}\ncustom_core = rp2"
    conf = tmp_path_factory.mktemp("arduino") / "platformio.ini"
    conf.write_text(before + name + re.sub(r"(?m)^platform = .*$", stand_in, after, count=1))
    pio("run", "-c", str(conf), "-e", "pico")
    return pio.workspace / "build" / "pico" / "firmware"


def test_what_it_builds_trains_to_the_twins_bits(program: Path, tmp_path: Path) -> None:
    with Running(program, tmp_path / "flash") as running, TwinTarget("strict") as twin:
        link = running.link()
        client = Client(link)
        board = BoardTarget(client)
        assert (client.info().name, client.info().profile) == ("pico", "strict")
        for target in (board, twin):
            target.load_image(classifier_image())
            target.write("input", 0, np.array(PIXELS, np.float32))
            target.write("label", 0, np.array(LABELS, np.int32))
            for _ in range(5):
                target.run("step")
        assert board.state() == twin.state()
        link.close()
