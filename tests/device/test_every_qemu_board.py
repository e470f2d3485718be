"""`gradmote train --on qemu:BOARD` and `gradmote console qemu:BOARD`, for a float model and an int8 one: firmware that
is missing is built, for the model alone if the general one has no int8. A model that is too large is refused before.
"""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from bench.boards.lessons import perceptron
from device.every_qemu_board import EMULATED, MODELS, image, measure

from gradmote import cli, compile_model, losses, optimizers
from gradmote.device import diagnostics, emulated_firmware, open_target
from gradmote.device.boards import board, known
from gradmote.device.emulated_firmware import default_firmware, firmware_for
from gradmote.device.flash.from_sources import board_of
from gradmote.device.flash.watch import Watch
from gradmote.device.toolchains.gnu import GnuToolchain
from gradmote.errors import DeviceError
from gradmote.formats.image import read_image
from support.firmware import build_firmware

pytestmark = pytest.mark.device

SMALL = "stm32vldiscovery"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", EMULATED)
def test_a_board_learns_and_is_typed_at(name: str, model: str, tmp_path: Path) -> None:
    """The board that is opened without a model restarts with other firmware if the model needs that."""
    build_firmware(board=name)
    row = measure(name, model, tmp_path)
    assert row.is_well, row
    with open_target(f"qemu:{name}") as target:
        target.load_image(image(model))
        assert target.info().status == 0 and target.image() == image(model)


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, bytes | None]]:
    """The boards, and the images whose kernels alone they have, of builds that are asked for; nothing is built."""
    asked: list[tuple[str, bytes | None]] = []

    def build(name: str, own: bytes | None, key: None, watch: Watch) -> Path:
        asked.append((name, own))
        watch.line("compile main.c")
        watch.line("compile again.c")
        elf = tmp_path / "built" / "firmware.elf"
        elf.parent.mkdir(exist_ok=True)
        elf.with_name("footprint.json").write_text(json.dumps(known()[name]))
        return elf

    monkeypatch.setenv("GRADMOTE_BUILD", str(tmp_path))
    monkeypatch.setattr(emulated_firmware, "build", build)
    return asked


def test_a_model_that_is_too_large_is_refused_before_anything_is_built(
    built: list[tuple[str, bytes | None]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model.mote").write_bytes(large_image())
    np.savez(tmp_path / "data.npz", x=np.zeros((4, 64), np.float32), y=np.zeros(4, np.int64))
    words = ["train", str(tmp_path / "model.mote"), "--data", str(tmp_path / "data.npz"), "--on", f"qemu:{SMALL}"]
    assert cli.main(words) == 1 and not built
    said = capsys.readouterr().err
    lacks = read_image(large_image()).header["arena_size"] - board(SMALL).arena_available
    assert f"model.mote does not fit {SMALL}: it lacks {lacks:,} B of RAM" in said
    assert f"gradmote compile model.onnx --board {SMALL}" in said and "Traceback" not in said


def test_a_quantized_model_gets_firmware_of_its_own_where_the_general_one_has_no_int8(
    built: list[tuple[str, bytes | None]],
) -> None:
    told: list[str] = []
    for name, model in ((SMALL, "float"), (SMALL, "int8"), ("mps2-an386", "int8")):
        firmware_for(name, image=image(model), watch=Watch(told.append))
    assert built == [(SMALL, None), (SMALL, image("int8")), ("mps2-an386", None)]
    assert told == [
        f"build the firmware of {SMALL}",
        f"build the firmware of {SMALL} for model.mote alone",
        "build the firmware of mps2-an386",
    ]


def test_firmware_that_is_older_than_its_sources_is_not_used(built: list[tuple[str, bytes | None]]) -> None:
    elf = default_firmware(SMALL)
    elf.parent.mkdir(parents=True)
    elf.write_bytes(b"built by scons")
    assert firmware_for(SMALL) == elf and not built
    os.utime(elf, (0, 0))
    assert firmware_for(SMALL) != elf and built == [(SMALL, None)]


def test_firmware_that_has_no_room_for_its_kernels_says_how_many_bytes_it_lacks(tmp_path: Path) -> None:
    toolchain = GnuToolchain(board_of(SMALL), "gcc")
    said = "ld: region `FLASH' overflowed by 4321 bytes"
    with pytest.raises(DeviceError, match="stm32vldiscovery .* is 4,321 B larger than its .* B of flash for code"):
        toolchain.run([sys.executable, "-c", f"import sys; sys.exit({said!r})"], tmp_path)


def test_what_a_firmware_lacks_is_added_by_a_command_of_the_user() -> None:
    quantized = diagnostics.lacking(SMALL, ["int8", "kernel CONV_S8"])
    assert str(quantized).endswith(f"gradmote flash --board {SMALL} model.mote") and "int8, kernel CONV_S8" in str(
        quantized
    )
    assert "--general" in str(diagnostics.lacking(SMALL, ["kernel CONV"]))
    assert "gradmote kernels --flags" in str(diagnostics.lacking("linux-aarch64", ["kernel CONV"]))


def test_a_model_is_only_for_the_console_of_an_emulated_board(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model.mote").write_bytes(image("float"))
    assert cli.main(["console", "socket://localhost:1", "--model", str(tmp_path / "model.mote")]) == 1
    assert "--model is for an emulated board" in capsys.readouterr().err


@cache
def large_image() -> bytes:
    return compile_model(perceptron(64, 32, 10), losses.cross_entropy(), optimizers.sgd(0.1)).image
