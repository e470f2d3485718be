"""Firmware that was built to refuse older images: by an update, by an upload, and beside the program's own."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from signature.keys import key_of, write_keys

from gradmote.device.client import Board
from gradmote.device.emulator import Emulator, missing
from gradmote.errors import GradmoteError
from gradmote.files import build_folder
from gradmote.image import read_image
from gradmote.signing import sign
from support.classifier_image import classifier_image
from support.console_text import read_prompt
from support.firmware import scons_firmware

pytestmark = pytest.mark.device

_CRC_AT, _COVERED, _VERSION_AT = 12, 16, 140


def version(number: int) -> bytes:
    """The classifier's image with that version, signed."""
    image = bytearray(classifier_image())
    struct.pack_into("<I", image, _VERSION_AT, number)
    struct.pack_into("<I", image, _CRC_AT, zlib.crc32(image[_COVERED:]))
    assert read_image(bytes(image)).header["image_version"] == number
    return sign(bytes(image), key_of("own"))


@pytest.fixture(scope="module")
def firmware(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("protected")
    (folder / "classifier.mote").write_bytes(classifier_image())
    _, public = write_keys("own", folder)
    scons_firmware("BOARD=mps2-an386", f"MODEL={folder / 'classifier.mote'}", f"KEY={public}", "ROLLBACK_PROTECT=1")
    elf = build_folder() / "firmware" / "mps2_an386-classifier-signed-protected" / "firmware.elf"
    lack = missing("mps2-an386", elf)
    if lack:
        pytest.skip(lack)
    return elf


@pytest.fixture
def running(firmware: Path) -> Iterator[Emulator]:
    """With an image of version 5."""
    with Emulator(elf=firmware, image=version(5)) as emulator:
        yield emulator


def test_an_update_is_not_older(running: Emulator) -> None:
    with running.connect() as board:
        for older in (0, 4):
            with pytest.raises(GradmoteError, match="OLDER_IMAGE, -120"):
                board.update_image(version(older))
            assert board.info().status == 0 and board.read("IMAGE") == version(5)[:-80]
        for newer in (5, 6, 0xFFFFFFFF):
            board.update_image(version(newer))
        with pytest.raises(GradmoteError, match="OLDER_IMAGE, -120"):
            board.update_image(version(6))


def test_what_tells_the_version_is_not_erased(running: Emulator) -> None:
    """Not by an upload in its place, and not by an update that stays away."""
    with running.connect() as board:
        for number in (4, 6):
            with pytest.raises(GradmoteError, match="ONLY_BY_UPDATE, -121"):
                board._send_image(version(number), 0, None)
        board.request("UPDATE_BEGIN", size=len(version(6)))
        board.reboot()
        with pytest.raises(GradmoteError, match="ONLY_BY_UPDATE, -121"):
            board._send_image(version(4), 0, None)
        assert board.refresh().status == 0


def test_a_board_without_an_image_takes_any(firmware: Path) -> None:
    with Emulator(elf=firmware) as emulator, emulator.connect() as board:
        board.load_image(version(3))
        with pytest.raises(GradmoteError, match="OLDER_IMAGE"):
            board.update_image(version(2))


def test_the_console_tells_the_version(running: Emulator) -> None:
    link = running.take_link()
    read_prompt(link)
    link.write(b"info\r")
    assert "version         5 of the image" in read_prompt(link)


def test_a_client_is_told_how(running: Emulator) -> None:
    with running.connect() as board, pytest.raises(GradmoteError) as told:
        assert isinstance(board, Board)
        board.load_image(version(7))
    assert "gradmote update" in str(told.value.hint)
