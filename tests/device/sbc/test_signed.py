"""gradmote-run that was built with a key takes images that this key signed, and no others: files, and on its line."""

from __future__ import annotations

import pytest
from c.signature.keys import key_of, write_keys
from device.sbc.conftest import ROOT, Program

from gradmote.device.client import Client
from gradmote.device.link import SocketLink
from gradmote.errors import DeviceError
from gradmote.formats.signing import sign
from linux_targets import host_target
from support.classifier_image import classifier_image
from support.firmware import run_scons
from support.gradmote_run import served


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Program:
    _, public = write_keys("own", tmp_path_factory.mktemp("keys"))
    built = f"build/sbc/{host_target().name}-signed/gradmote-run"
    run_scons(built, f"KEY={public}")
    return Program("signed", (str(ROOT / built),), "fused")


def test_files(program, tmp_path):
    model, image = tmp_path / "model.mote", classifier_image()
    model.write_bytes(sign(image, key_of("own")))
    assert f"image           {len(image)} bytes" in program.check("info", model)
    for refused, words in (
        (image, "not signed"),
        (sign(image, key_of("other")), "signed by another key"),
        (b"x" * 200, ""),
    ):
        model.write_bytes(refused)
        assert words in program.refused("info", model)


def test_the_console(program, tmp_path):
    """Check that the program refuses unsigned images: one that is sent, and one in its folder at the next start."""
    image = classifier_image()
    signed = sign(image, key_of("own"))
    with served(program, "--state", tmp_path) as (url, _), Client(SocketLink(url)) as board:
        with pytest.raises(DeviceError, match="is not signed"):
            board.load_image(image)
        board.load_image(signed)
        assert board.info().status == 0
    (tmp_path / "model.mote").write_bytes(image)
    with served(program, "--state", tmp_path) as (url, _), Client(SocketLink(url)) as board:
        assert board.info().status == -117  # UNSIGNED
