"""The figures of `gradmote analyze --board` before flashing equal those that the board reports after, to the byte."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numeric.models.networks import NETWORKS
from numeric.models.onnx_network import onnx_network

from gradmote import compile_model, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.cli import main
from gradmote.compiler import Options, compile_image
from gradmote.device import BoardTarget
from gradmote.device.boards import known
from gradmote.device.client import Client
from gradmote.device.emulator import Emulator
from support.console_text import read_prompt
from support.quantized import small_cnn

pytestmark = pytest.mark.device

BOARD = "mps2-an386"


@pytest.fixture(scope="module")
def lenet(tmp_path_factory):
    """The image of a LeNet, whose kernels have the largest frames of those on float32."""
    path = tmp_path_factory.mktemp("analyzed") / "lenet.mote"
    model = onnx_network(NETWORKS["lenet"].make(), NETWORKS["lenet"].shape)
    artifacts = build_artifacts(model, None, losses.cross_entropy(), optimizers.sgd(0.01))
    path.write_bytes(compile_image(artifacts, Options(batch=1)).image)
    return path


@pytest.fixture(scope="module")
def used(lenet, firmware):
    """(what the board reports once it has done what it can, and what its console prints on `mem`)."""
    with Emulator(BOARD, firmware) as emulator:
        link = emulator.take_link()
        read_prompt(link)
        with BoardTarget(Client(link)) as target:
            train(target, quantized_network(), (1, 1, 8, 8))  # its depthwise gradients go deepest
            train(target, lenet.read_bytes(), (1, 1, 28, 28))
            for line in ("help", "info", "train 2", "save", "load", "mem"):
                link.write(line.encode() + b"\r")
                text = read_prompt(link)
            return target.mem(), text


def quantized_network():
    """An image of a small network that trains in int8."""
    options = Options(batch=1, weights="int8", gradients="int16")
    return compile_model(small_cnn.model(), losses.cross_entropy(), optimizers.sgd(0.01), options).image


def train(target, image, shape):
    """Every program, and a checkpoint there and back."""
    target.load_image(image)
    target.write("input", 0, np.ones(shape, np.float32))
    target.write("label", 0, np.zeros(1, np.int32))
    for program in target.info().programs:
        target.run(program)
    target.load(target.save())


@pytest.fixture
def reported(lenet, used, capsys):
    assert main(["analyze", str(lenet), "--board", BOARD, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_figure_is_equal(reported, used):
    memory, board = used[0], reported["board"]
    for name in ("ram", "static_ram", "stack_size", "arena_available", "code"):
        assert getattr(memory, name) == board[name], name
    assert (memory.arena_required, memory.image) == (reported["arena_bytes"], reported["image_bytes"])
    assert board["fits"] and sum(board["buffers"].values()) == memory.static_ram


def test_the_stack_stays_under_its_bound(reported, used):
    assert reported["board"]["stack_bound"] * 0.6 < used[0].stack_used <= reported["board"]["stack_bound"]


def test_the_console_prints_the_same(reported, used):
    rows = [line.split() for line in used[1].splitlines() if line]
    printed = {row[0]: int(row[1]) for row in rows if row[1:] and row[1].isdigit()}
    board = reported["board"]
    expected = {"ram": board["ram"], "static": board["static_ram"], "stack": board["stack_size"]}
    expected |= {"used": used[0].stack_used, "arena": board["arena_available"], "model": reported["arena_bytes"]}
    assert printed == expected | {"code": board["code"], "image": reported["image_bytes"]}


def test_what_was_released_is_not_stale(reported):
    """Code may differ a little, as from compiler to compiler."""
    released, built = known()[BOARD], reported["board"]
    again = "`./run scons accept ONLY=footprints` writes boards.json anew"
    for name in ("title", "core", "ram", "stack_size", "buffers", "flash", "image_area"):
        assert released[name] == built[name], f"{name}: {again}"
    assert abs(released["code"] - built["code"]) < 0.02 * built["code"], again
    assert abs(released["stack_bound"] - built["stack_bound"]) <= 64, again
