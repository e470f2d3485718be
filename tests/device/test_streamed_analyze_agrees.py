"""A quantized network that trains row by row: the RAM of `gradmote analyze` is the board's, and so are all bits.

The networks of MCUNetV3 run if the environment names their folder (support/quantized/mcunet.py); another one
always does.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from bench.quantized import streamed

from gradmote import Session, compile_model, losses, optimizers
from gradmote.cli import main
from gradmote.compiler import Options
from gradmote.compiler.compile import Result
from gradmote.device import open_target
from gradmote.device.boards import board
from support.quantized import mcunet
from support.quantized.drawn import QdqNetwork

pytestmark = pytest.mark.device

BOARD = "mps2-an386"
STEPS = 2
#: As many weights as the board's 128 KB of RAM have room for.
BLOCKS = (13, 14)


def small() -> Result:
    """Return a network whose first layers run by rows, some with trained biases, and which keeps a mask."""
    net = QdqNetwork(np.random.default_rng(3))
    net.shapes["x"] = (1, 2, 16, 16)
    net.quantize(0.02)
    for depthwise in (False, False, True, False):
        net.conv(8, "int8", True, "int32", depthwise)
        net.activation("Relu")
        net.quantize()
        if not depthwise:
            net.pool("AveragePool")
    net.flatten()
    net.gemm(3, "int8", False, "int32", "transB")
    options = Options(overwrite_inputs=True)
    return compile_model(net.model(False), losses.cross_entropy(), optimizers.sgd(0.05), options, scheme="bias:last:3")


def network(name: str) -> Result:
    if name == "small":
        return small()
    if not mcunet.folder():
        pytest.skip(mcunet.reason())
    return streamed.compiled(name, blocks=BLOCKS)


@pytest.mark.parametrize("name", ["small", "mbv2-w0.35"])
def test_arena_and_state_are_those_of_the_board(
    firmware: object, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = network(name)
    (step,) = (program for program in made.compiled.programs if program.kind == "step")
    assert step.streamed
    path = tmp_path / "streamed.mote"
    path.write_bytes(made.image)
    assert main(["analyze", str(path), "--board", BOARD, "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    with open_target(f"qemu:{BOARD}") as target, Session(made.image, board(BOARD).profile) as twin:
        target.load_image(made.image)
        for x, label in samples(twin):
            twin.step(x, label)
            target.write("input", 0, x)
            target.write("label", 0, label)
            target.run("step")
        memory = target.mem()
        assert (memory.arena_required, memory.image) == (reported["arena_bytes"], reported["image_bytes"])
        assert memory.arena_required == made.layout.arena_size
        assert hashlib.sha256(target.state()).hexdigest() == twin.state_sha256()


def samples(session: Session) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return drawn inputs of the type and shape that the session takes."""
    rng, given = np.random.default_rng(0), session.inputs()[0]
    x = rng.normal(0, 1, (STEPS, *given["shape"]))
    integers = rng.integers(-100, 100, x.shape).astype(np.int8)
    drawn = integers if given["dtype"] == "int8" else x.astype(np.float32)
    return [(one, np.array([k % 3], np.int32)) for k, one in enumerate(drawn)]
