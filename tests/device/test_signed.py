"""A board whose firmware was built with a key takes images that this key signed, and no others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from c.signature.keys import key_of, write_keys

from gradmote import cli
from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.boards import board as known
from gradmote.device.boards import from_footprint
from gradmote.device.client import Client
from gradmote.device.emulated_firmware import default_firmware
from gradmote.device.emulator import Emulator, missing
from gradmote.device.flash import emulated, flow
from gradmote.errors import DeviceError, GradmoteError, ImageError
from gradmote.formats.files import build_folder
from gradmote.formats.image.signature import signature_of
from gradmote.formats.signing import sign
from support.classifier_image import BATCH, CLASSES, FEATURES, classifier_image
from support.console_text import read_prompt
from support.firmware import build_firmware, scons_firmware

pytestmark = pytest.mark.device

KEY_ID = key_of("own").public_key().public_bytes_raw()[:8]


@pytest.fixture(scope="module")
def firmware(tmp_path_factory) -> Path:
    """firmware.elf with the kernels of one model and the key `own`."""
    folder = tmp_path_factory.mktemp("signed")
    model = folder / "classifier.mote"
    model.write_bytes(classifier_image())
    _, public = write_keys("own", folder)
    scons_firmware(f"MODEL={model}", f"KEY={public}", board="mps2-an386")
    elf = build_folder() / "firmware" / "mps2_an386-classifier-signed" / "firmware.elf"
    lack = missing("mps2-an386", elf)
    if lack:
        pytest.skip(lack)
    return elf


def send(board: Client, image: bytes) -> None:
    """Send an image past the client's own checks."""
    board._send_image(image, 0, None)
    board.refresh()


def own(image: bytes) -> bytes:
    return sign(image, key_of("own"))


def with_bit_flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def with_other_signature(image: bytes) -> bytes:
    """A right signature, of another image."""
    other = sign(image, key_of("own"))
    return image + with_bit_flipped(other, len(image) + 20)[len(image) :]


REFUSED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "unsigned": (lambda image: image, "UNSIGNED"),
    "other key": (lambda image: sign(image, key_of("other")), "OTHER_KEY"),
    "other signature": (with_other_signature, "BAD_SIGNATURE"),
    "flipped bit": (lambda image: with_bit_flipped(own(image), 300), "BAD_CRC"),
    "cut": (lambda image: own(image)[:-4], "BAD_SIGNATURE"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_when_sent(board: Client, image: bytes, case: str) -> None:
    make, name = REFUSED[case]
    with pytest.raises(GradmoteError, match=f"{name}, -"):
        send(board, make(image))
    board.refresh()
    assert board.info().status < 0 and not board.info().programs
    send(board, own(image))
    assert board.info().status == 0


@pytest.mark.parametrize("case", REFUSED)
def test_refused_when_the_board_starts(firmware: Path, image: bytes, case: str) -> None:
    """The image is in the flash as if someone had put it there."""
    make, name = REFUSED[case]
    started = Emulator(elf=firmware, image=make(image))
    with started, started.connect() as board, pytest.raises(GradmoteError, match=f"{name}, -"):
        board.describe("infer", "input", 0)


def test_signed_one_trains_as_its_twin(firmware: Path, image: bytes) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(BATCH, FEATURES)).astype(np.float32)
    y = rng.integers(0, CLASSES, BATCH).astype(np.int32)
    running = Emulator(elf=firmware, image=own(image))
    with running, BoardTarget(running.connect()) as board, TwinTarget("strict") as twin:
        twin.load_image(own(image))
        for target in (board, twin):
            target.write("input", 0, x)
            target.write("label", 0, y)
            target.run("step")
        assert board.state() == twin.state() and board.image() == image
        reported = from_footprint(json.loads(firmware.with_name("footprint.json").read_text()))
        memory = board.mem()
        assert memory is not None and 1000 < memory.stack_used <= reported.stack_bound <= memory.stack_size


def test_client_tells_before_anything_is_sent(board: Client, image: bytes) -> None:
    board.load_image(own(image))
    assert bytes(board.raw_info["key_id"]) == KEY_ID
    for other, words in ((image, "is not signed"), (sign(image, key_of("other")), "is signed by key")):
        with pytest.raises(DeviceError, match=f"{words}.*those of key {KEY_ID.hex()}; it keeps"):
            board.load_image(other)
    board.refresh()
    assert board.info().status == 0


def test_firmware_without_a_key_is_sent_the_image_alone(image: bytes) -> None:
    build_firmware()
    with Emulator(elf=default_firmware("mps2-an386")) as running, running.connect() as board:
        assert not any(board.raw_info["key_id"])
        board.load_image(own(image))
        assert board.info().status == 0 and board.read("IMAGE") == image


def test_console_tells_the_key(emulator: Emulator) -> None:
    link = emulator.take_link()
    read_prompt(link)
    link.write(b"info\r")
    assert f"signed by key   {KEY_ID.hex()}" in read_prompt(link)


def test_flashed_with_the_key(firmware: Path, image: bytes, tmp_path: Path, monkeypatch) -> None:
    """Check that an image that the key did not sign is refused before anything is built or erased."""
    monkeypatch.setattr(emulated, "_folder", lambda: tmp_path / "emulated")
    model, (_, public) = tmp_path / "classifier.mote", write_keys("own", tmp_path)
    model.write_bytes(image)
    order = flow.Order(known("mps2-an386"), model, key=public)
    with pytest.raises(ImageError, match="the image is not signed"):
        flow.flash(order, flow.Watch())
    model.write_bytes(own(image))
    flashed = flow.flash(order, flow.Watch())
    try:
        assert Path(flashed.firmware) == firmware and flashed.image == len(image)
        with Client.connect(flashed.port) as board:
            assert bytes(board.raw_info["key_id"]) == KEY_ID and board.info().status == 0
    finally:
        emulated.stop(flashed.board)


def test_by_command_line(emulator: Emulator, image: bytes, tmp_path: Path, capsys) -> None:
    emulator.take_link().close()
    model, (private, _) = tmp_path / "model.mote", write_keys("own", tmp_path)
    model.write_bytes(image)
    rng = np.random.default_rng(0)
    x = rng.integers(0, 256, (8 * BATCH, FEATURES), dtype=np.uint8)
    np.savez(tmp_path / "data.npz", x=x, y=rng.integers(0, CLASSES, 8 * BATCH), scale=1 / 128, zero=128)
    train = ["train", str(model), "--data", str(tmp_path / "data.npz"), "--on", emulator.url, "--json"]
    assert cli.main(train) == 1
    assert "gradmote sign model.mote --key key.pem" in json.loads(capsys.readouterr().out)["hint"]
    assert cli.main(["sign", str(model), "--key", str(private)]) == 0 and signature_of(model.read_bytes())
    capsys.readouterr()
    assert cli.main(train) == 0 and json.loads(capsys.readouterr().out)["metrics"]["train_steps"] == 8
