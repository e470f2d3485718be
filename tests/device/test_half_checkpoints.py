"""Packed checkpoints over the line of an emulated board: the twin's bytes, half of them, and nothing lost in flash."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from gradmote import optimizers
from gradmote.cli import app
from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.link import Link
from gradmote.formats import checkpoint
from support import digits
from support.noisy_link import BYTES_PER_SECOND

BATCH, STEPS = 8, 5

pytestmark = pytest.mark.device


class CountingLink:
    """Counts the bytes of both directions."""

    def __init__(self, link: Link) -> None:
        self.url, self.bytes, self._link = link.url, 0, link

    def write(self, data: bytes) -> None:
        self.bytes += len(data)
        self._link.write(data)

    def read(self, timeout: float) -> bytes:
        data = self._link.read(timeout)
        self.bytes += len(data)
        return data

    def close(self) -> None:
        self._link.close()


@pytest.fixture(scope="module")
def image() -> bytes:
    return digits.image(optimizers.adamw(0.003), BATCH)


@pytest.fixture
def pair(board, image):
    """The board and its twin, equally trained."""
    on_board = BoardTarget(board)
    with TwinTarget(board.info().profile) as twin:
        for target in (on_board, twin):
            target.load_image(image)
            train(target, 0)
        yield on_board, twin


def train(target, first: int) -> None:
    for x, y in digits.batches(BATCH, first + STEPS)[first:]:
        target.write("input", 0, x)
        target.write("label", 0, y.astype(np.int32))
        target.run("step")


def test_it_is_the_twins_and_flash_keeps_every_bit(pair):
    board, twin = pair
    packed = board.save(half=True)
    assert packed == twin.save(half=True) and checkpoint.unpack(packed).encoding == "half"
    assert board.board.read("CHECKPOINT") == twin.save()
    board.board.load_kept_checkpoint()
    assert board.state() == twin.state()


def test_a_packed_one_is_loaded_kept_and_trained_on(pair):
    board, twin = pair
    packed = twin.save(half=True)
    train(board, STEPS)
    for target in (board, twin):
        target.load(packed)
    assert board.state() == twin.state()
    assert board.board.read("CHECKPOINT") == checkpoint.as_plain(packed) == twin.save()
    assert board.board.read("CHECKPOINT_HALF") == packed
    for target in (board, twin):
        train(target, STEPS)
    assert board.state() == twin.state()
    board.board.reboot()
    assert board.board.read("CHECKPOINT_HALF") == packed


def test_half_the_bytes_are_on_the_line(pair):
    board, twin = pair
    line = board.board._link = CountingLink(board.board._link)
    counts = {}
    for way in ("fetched", "sent"):
        for half in (False, True):
            before, data = line.bytes, twin.save(half)
            assert board.save(half) == data if way == "fetched" else board.load(data) is None
            counts[way, half] = line.bytes - before
            print(f"{way}, half {half}: {len(data)} bytes, {counts[way, half]} on the line, "
                  f"{counts[way, half] / BYTES_PER_SECOND:.2f} s at 115200 baud")  # fmt: skip
            twin.load(twin.save(half)) if way == "sent" else None
    assert all(counts[way, True] < 0.55 * counts[way, False] for way in ("fetched", "sent"))


def test_reading_at_any_place(pair):
    board, _ = pair
    packed = board.save(half=True)
    place = {"source": 7, "program": 0, "role": 0, "index": 0}
    for offset, length in ((0, 1), (47, 3), (len(packed) - 5, 500), (len(packed), 9), (1001, 777)):
        reply = board.board.request("READ", **place, offset=offset, length=length)
        assert reply == {"total": len(packed), "data": packed[offset : offset + length]}


def test_the_command(firmware, image, tmp_path):
    x, y = digits.samples()
    np.savez(tmp_path / "digits.npz", x=x[:24], y=y[:24].astype(np.int32))
    (tmp_path / "model.mote").write_bytes(image)
    common = ["train", str(tmp_path / "model.mote"), "--data", str(tmp_path / "digits.npz"), "--half", "--json"]
    for on in ("qemu:mps2-an386", "twin:strict"):
        files = [tmp_path / f"{on[:4]}{i}.gmck" for i in range(2)]
        for more in (["--checkpoint", files[0]], ["--checkpoint", files[1], "--resume", files[0]]):
            done = CliRunner().invoke(app, [*common, "--on", on, *map(str, more)])
            assert done.exit_code == 0, done.output
    assert (tmp_path / "qemu0.gmck").read_bytes() == (tmp_path / "twin0.gmck").read_bytes()
    assert (tmp_path / "qemu1.gmck").read_bytes() == (tmp_path / "twin1.gmck").read_bytes()
    assert checkpoint.load(tmp_path / "twin1.gmck").encoding == "half"
