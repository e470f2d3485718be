"""Rounds of federated learning on emulated boards: the bytes that the twin sends, and its state after them."""

from __future__ import annotations

import numpy as np
import pytest
from fuzz import seeds

from gradmote import compile_model, losses, optimizers
from gradmote.compiler import Options
from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.link import Link
from gradmote.errors import DataError, DeviceError, RuntimeFault
from support import digits
from support.oracle import make_model, node

BATCH = 8

pytestmark = pytest.mark.device


@pytest.fixture(scope="module")
def image() -> bytes:
    return digits.image(optimizers.adamw(0.003), BATCH)


def train(target, first: int, steps: int = 4) -> None:
    for x, y in digits.batches(BATCH, first + steps)[first:]:
        target.write("input", 0, x)
        target.write("label", 0, y.astype(np.int32))
        target.run("step")


@pytest.fixture
def pair(board, image):
    """The board and its twin."""
    on_board = BoardTarget(board)
    with TwinTarget(board.info().profile) as twin:
        for target in (on_board, twin):
            target.load_image(image)
        yield on_board, twin


@pytest.mark.parametrize("keep", [False, True])
def test_rounds_are_the_twins(pair, keep: bool) -> None:
    """Deltas and states are the twin's, whether the quantization error is dropped or carried over to the next round."""
    on_board, twin = pair
    for number, bits in enumerate((4, 8, 2)):
        sent = []
        for target in pair:
            assert target.round() == number
            train(target, number)
            sent.append(target.round_delta(bits, 7))
        assert sent[0] == sent[1]
        own = {"bits": bits, "seed": 7} if keep else {}
        for target in pair:
            assert target.end_round(sent[0], **own) == number + 1
        assert on_board.state() == twin.state()
    if not keep:
        on_board.board.reboot()
        assert on_board.round() == 3
        assert on_board.state() == twin.state()


def test_personal_parameters_stay(pair) -> None:
    on_board, twin = pair
    for target in pair:
        train(target, 0)
    delta = on_board.round_delta(4, 1, "0.*")
    assert delta == twin.round_delta(4, 1, "0.*") and len(delta) < len(on_board.round_delta(4, 1))
    for target in pair:
        target.end_round(delta)
    assert on_board.state() == twin.state()
    with pytest.raises(DataError):
        on_board.round_delta(4, 1, "none*")


def test_a_delta_of_another_round_changes_nothing(pair) -> None:
    on_board, _ = pair
    train(on_board, 0)
    delta = on_board.round_delta(4)
    on_board.end_round(delta)
    state = on_board.state()
    for wrong, name in (
        (delta, "OTHER_BASE"),
        (delta[:-1], "TRUNCATED"),
        (delta[:60] + b"\x55" + delta[61:], "BAD_CRC"),
    ):
        with pytest.raises(RuntimeFault) as fault:
            on_board.end_round(wrong)
        assert fault.value.name == name
    with pytest.raises(DeviceError):
        on_board.end_round(bytes(10**6))
    assert on_board.state() == state and on_board.round() == 1


def test_a_base_is_set_and_given_up(pair) -> None:
    on_board, twin = pair
    for target in pair:
        train(target, 0)
        target.begin_round(41)
        train(target, 4)
    on_board.save()
    assert on_board.round_delta(4) == twin.round_delta(4)
    for target in pair:
        target.begin_round(0)
        assert target.round() == 0
    assert on_board.round_delta(4) == twin.round_delta(4)


@pytest.mark.parametrize("weights", ["int8", "int16"])
def test_integers_are_the_twins(board, weights: str) -> None:
    image = seeds.image_of("quantized_block", optimizers.sgd(0.5), weights=weights)
    on_board, deltas = BoardTarget(board), []
    with TwinTarget(board.info().profile) as twin:
        for target in (on_board, twin):
            target.load_image(image)
            draw = np.random.default_rng(1)
            for role, index in (("input", 0), ("label", 0)):
                tensor = target.describe("step", role, index)
                target.write(role, index, draw.integers(0, 2, tensor.shape).astype(tensor.dtype))
            for _ in range(5):
                target.run("step")
            deltas.append(target.round_delta(4, 3))
            target.end_round(deltas[-1], 4, 3)
        assert deltas[0] == deltas[1] and on_board.state() == twin.state()


def watch_image() -> bytes:
    """Return a network as large as that of the ten watches: 9,751 parameters."""
    draw = np.random.default_rng(2)
    shapes = {"a": (16, 6, 1, 5), "b": (16,), "c": (32, 16, 1, 5), "d": (32,), "e": (64, 32, 1, 3), "f": (64,),
              "g": (64, 7), "h": (7,)}  # fmt: skip
    weights = {name: (draw.normal(size=shape) * 0.1).astype(np.float32) for name, shape in shapes.items()}
    nodes = [node("Conv", "x a b", "p", strides=[1, 2]), node("Relu", "p", "q")]
    nodes += [node("Conv", "q c d", "r", strides=[1, 2]), node("Relu", "r", "s")]
    nodes += [node("Conv", "s e f", "t", strides=[1, 2]), node("Relu", "t", "u"), node("GlobalAveragePool", "u", "v")]
    nodes += [node("Flatten", "v", "w"), node("Gemm", "w g h", "y")]
    model = make_model(nodes, weights, {"x": ("N", 6, 1, 100)})
    return compile_model(model, losses.cross_entropy(), optimizers.sgd(0.05), options=Options(batch=4)).image


class TwoWayLink:
    """Counts the bytes of each direction."""

    def __init__(self, link: Link) -> None:
        self.url, self.up, self.down, self._link = link.url, 0, 0, link

    def write(self, data: bytes) -> None:
        self.down += len(data)
        self._link.write(data)

    def read(self, timeout: float) -> bytes:
        data = self._link.read(timeout)
        self.up += len(data)
        return data

    def close(self) -> None:
        self._link.close()


def test_an_update_of_the_watch_is_5100_bytes_each_way(board) -> None:
    """Deltas are in four bits; the frames that carry them are counted."""
    target = BoardTarget(board)
    target.load_image(watch_image())
    target.write("input", 0, np.random.default_rng(3).normal(size=(4, 6, 1, 100)).astype(np.float32))
    target.write("label", 0, np.arange(4, dtype=np.int32))
    target.run("step")
    line = board._link = TwoWayLink(board._link)
    delta = target.round_delta(4, 1)
    fetched = line.up, line.down
    target.end_round(delta)
    sent = line.up - fetched[0], line.down - fetched[1]
    print(f"{len(delta)} bytes; fetched: {fetched[0]} up, {fetched[1]} down; sent: {sent[0]} up, {sent[1]} down")
    assert len(target.parameters()) == 4 * 9751
    assert fetched[0] <= 5100 and sent[1] <= 5100 and fetched[1] + sent[0] < 300
