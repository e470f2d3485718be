"""A whole training session over a line that corrupts bytes; no byte of a corrupt frame counts as typed.

GRADMOTE_NOISE_EPOCHS: so many epochs of all digits, instead of one of 96.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator

import numpy as np
import onnx
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.device import BoardTarget, Target, TwinTarget
from gradmote.device.client import Client
from gradmote.device.dataset import Dataset
from gradmote.device.emulator import Emulator
from gradmote.device.fitting import fit
from gradmote.device.protocol import message_id
from gradmote.errors import DeviceError
from support.console_text import read_prompt
from support.noisy_link import ByteLink, NoisyLink, SlowLink
from support.quantized import by_onnxruntime
from support.sampling import draws

pytestmark = pytest.mark.device

EPOCHS = draws("noise_epochs")
RING = 64  # bytes of the smallest receive ring of any board
ERASE_UNIT = 0x1000  # of the mps2-an386


def large(hidden: int, quantizes: bool = False) -> bytes:
    """Return an image of an MLP 64-hidden-10 of some frames. quantizes: it trains in int8."""
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["": 17]>
        mlp (float[N,64] x) => (float[N,10] y) {
          h = Gemm (x, w1, b1)
          a = Relu (h)
          y = Gemm (a, w2, b2)
        }""")
    rng = np.random.default_rng(0)
    for name, shape in {"w1": (64, hidden), "b1": (hidden,), "w2": (hidden, 10), "b2": (10,)}.items():
        array = rng.normal(0, 0.1, shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    model = by_onnxruntime.quantized(model, rng.random((50, 64), np.float32)) if quantizes else model
    made = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.1))
    return compile_image(made, Options(batch=16)).image


@pytest.fixture(scope="module")
def large_image() -> bytes:
    """64-104-10 in float32."""
    image = large(104)
    assert len(image) > 30_000
    return image


def digits() -> Dataset:
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    count = None if EPOCHS else 96
    return Dataset(pixels.astype(np.uint8)[:count], labels.astype(np.uint8)[:count], scale=1 / 16)


def session(target: Target, image: bytes) -> str:
    """SHA-256 of the checkpoint after a training."""
    target.load_image(image)
    fit(target, digits(), EPOCHS or 1)
    return hashlib.sha256(target.save()).hexdigest()


@pytest.mark.parametrize("quantizes", [False, True], ids=["float32", "int8"])
def test_a_session_over_a_noisy_line_ends_as_on_the_twin(emulator: Emulator, quantizes: bool) -> None:
    image = large(160, quantizes) if quantizes else large(104)
    line = NoisyLink(emulator.take_link(), seed=1)
    with BoardTarget(Client(line)) as target, TwinTarget(target.info().profile) as twin:
        assert session(target, image) == session(twin, image)
        print(f"{target.board.retries} retries; bytes flipped {line.flipped}, lost {line.lost}; {line.stalled} stalls")
        assert line.flipped > 30 and line.lost > 30 and target.board.retries > 50


# ---- Resuming -------------------------------------------------------------------------------------------------------


class Counting:
    """Progress of an upload, stopped once half of it is there."""

    def __init__(self) -> None:
        self.first = 0

    def __call__(self, done: int, total: int) -> None:
        self.first = self.first or done
        if 2 * done > total > 2 * self.first:
            raise KeyboardInterrupt


@pytest.fixture
def half_sent(emulator: Emulator, large_image: bytes) -> Iterator[Client]:
    with emulator.connect() as board:
        with pytest.raises(KeyboardInterrupt):
            board.load_image(large_image, Counting())
        yield board


@pytest.mark.parametrize("restarts", [False, True], ids=["connected anew", "restarted"])
def test_an_upload_goes_on_where_it_stopped(half_sent: Client, large_image: bytes, restarts: bool) -> None:
    if restarts:
        half_sent.reboot()
    half_sent.refresh()
    reported = half_sent.request("IMAGE_RESUME")
    lost = ERASE_UNIT if restarts else 0  # at the most
    assert reported["size"] == len(large_image) and 2 * (reported["received"] + lost) > len(large_image)
    assert reported["received"] % ERASE_UNIT == 0 or not restarts
    assert reported["crc"] == zlib.crc32(large_image[: reported["received"]])
    seen: list[int] = []
    half_sent.load_image(large_image, lambda done, total: seen.append(done))
    assert seen[0] > reported["received"] and seen[-1] == len(large_image)
    assert half_sent.info().status == 0 and half_sent.read("IMAGE") == large_image


def test_another_image_starts_from_its_beginning(half_sent: Client, large_image: bytes, image: bytes) -> None:
    half_sent.refresh()
    for other in (large_image[:-4] + b"\0\0\0\0", image):
        changed = bytes([*other[:100], other[100] ^ 1, *other[101:]])
        seen: list[int] = []
        with pytest.raises(Exception, match="checksum"):
            half_sent.load_image(changed, lambda done, total, seen=seen: seen.append(done))  # type: ignore[misc]
        assert seen[0] <= 1024
        half_sent.refresh()
    half_sent.load_image(image)
    assert half_sent.request("IMAGE_RESUME") == {"size": 0, "received": 0, "crc": 0}


def test_pieces_that_come_again_are_passed_over(emulator: Emulator, image: bytes) -> None:
    with emulator.connect() as board:
        board.request("IMAGE_BEGIN", size=len(image))
        board.request("IMAGE_DATA", offset=0, data=image[:200])
        board.request("IMAGE_DATA", offset=0, data=image[:100])
        board.request("IMAGE_DATA", offset=100, data=image[100:400])
        assert board.request("IMAGE_RESUME")["received"] == 400
        with pytest.raises(DeviceError, match="OUT_OF_ORDER"):
            board.request("IMAGE_DATA", offset=404, data=image[404:444])
        with pytest.raises(DeviceError, match="BAD_PAYLOAD"):
            board.request("IMAGE_DATA", offset=398, data=image[398:402])
        for at in range(396, len(image), 1000):
            board.request("IMAGE_DATA", offset=at, data=image[at : at + 1000])
        board.request("IMAGE_END")
        assert board.refresh().status == 0


# ---- Flow -----------------------------------------------------------------------------------------------------------


def test_what_a_board_may_be_deaf_for_is_announced_by_little(emulator: Emulator, image: bytes) -> None:
    """At 115200 baud, one frame is under way at most; one that makes the board work for long fits the smallest ring."""
    line = SlowLink(emulator.take_link())
    with BoardTarget(Client(line)) as target:
        target.load_image(image)
        target.write("input", 0, np.ones((2, 3), np.float32))
        target.write("label", 0, np.zeros(2, np.int32))
        for program in ("step", "train", "optimizer"):
            target.run(program)
        target.load(target.save())
        assert target.board.retries == 0
    long = {"IMAGE_BEGIN", "IMAGE_END", "RUN", "SAVE", "CHECKPOINT_BEGIN", "CHECKPOINT_END"}
    sizes = [size for kind, size in line.requests if kind in {message_id(name) for name in long}]
    assert len(sizes) >= len(long) and max(sizes) <= RING / 4


# ---- Garbage --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_byte", [False, True], ids=["in pieces", "byte by byte"])
@pytest.mark.parametrize("seed", range(6))
def test_garbage_never_wedges_the_console(emulator: Emulator, image: bytes, seed: int, by_byte: bool) -> None:
    rng = np.random.default_rng(seed)
    link = ByteLink(emulator.take_link()) if by_byte else emulator.take_link()
    with Client(link) as board:
        board.load_image(image)
        for _ in range(10):
            link.write(rng.integers(0, 256, int(rng.integers(1, 400)), np.uint8).tobytes())
        board._may_restart = True  # who types "reset" gets it
        assert board.refresh().status == 0
        link.write(b"\x15help\r")
        assert "list the commands" in read_prompt(link)
        assert board.mem().image == len(image)


def test_a_frame_whose_start_was_lost_is_not_typed(emulator: Emulator, image: bytes) -> None:
    """Its bytes could be a command."""
    link = emulator.take_link()
    with Client(link) as board:
        board.load_image(image)
        payload = struct.pack("<I", 0) + b"\rreset\r"
        link.write(bytes([message_id("IMAGE_DATA"), 7]) + struct.pack("<H", len(payload)) + payload + bytes(4))
        errors = board.raw_info["line_errors"]
        assert board.refresh().status == 0
        assert board.raw_info["line_errors"] == errors + 1
        link.write(b"mem\r")
        assert read_prompt(link).startswith("mem\r\n")
