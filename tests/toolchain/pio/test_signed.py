"""custom_gradmote_key in platformio.ini: firmware that takes images of this key alone, the same as SCons builds."""

from __future__ import annotations

from pathlib import Path

import pytest
from c.signature.keys import write_keys

from gradmote.device.flash.elf import read_segments
from gradmote.formats.files import build_folder
from support.firmware import scons_firmware
from support.pio import Pio

BOARD = "mps2-an386"

pytestmark = pytest.mark.device


def conf_with(root: Path, folder: Path, options: str) -> Path:
    """firmware/platformio.ini with more options of one board."""
    ini, section = (root / "firmware" / "platformio.ini").read_text(), f"[env:{BOARD}]\n"
    conf = folder / "platformio.ini"
    conf.write_text(ini.replace(section, section + options))
    return conf


def test_platformio_and_scons_build_the_same(pio: Pio, root: Path, tmp_path: Path) -> None:
    _, public = write_keys("own", tmp_path)
    options = f"custom_gradmote_key = {public}\ncustom_gradmote_rollback_protect = yes\n"
    said = pio("run", "-c", str(conf_with(root, tmp_path, options)), "-e", BOARD)
    assert "warning" not in said
    scons_firmware(f"KEY={public}", "ROLLBACK_PROTECT=1", board=BOARD)
    built = build_folder() / "firmware" / "mps2_an386-signed-protected" / "firmware.elf"
    assert read_segments(pio.workspace / "build" / BOARD / "firmware.elf") == read_segments(built)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("custom_gradmote_key = nothing.pem\n", "cannot read the key"),
        ("custom_gradmote_rollback_protect = yes\n", "give the public key"),
    ],
)
def test_wrong_options_end_the_build(pio: Pio, root: Path, tmp_path: Path, options: str, words: str) -> None:
    said = pio("run", "-c", str(conf_with(root, tmp_path, options)), "-e", BOARD, succeeds=False)
    assert words in said
