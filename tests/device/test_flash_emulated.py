"""Emulated boards, programmed over their debugger's port and left running."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from gradmote import cli, compile_model
from gradmote.artifacts.export import export_inference
from gradmote.artifacts.export_table import export_table
from gradmote.device.boards import board, known
from gradmote.device.client import Client
from gradmote.device.emulated_firmware import default_firmware
from gradmote.device.flash import emulated
from gradmote.device.flash.elf import read_segments
from gradmote.device.flash.gdb import Gdb
from gradmote.device.target_factory import open_target
from gradmote.errors import DeviceError
from gradmote.losses import cross_entropy
from gradmote.optimizers import sgd
from gradmote_runtime import Session
from support.firmware import build_firmware
from support.oracle import make_model, node, values

pytestmark = pytest.mark.device

KNOWN = board("mps2-an386")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep emulated boards in a folder of the test's own, so that one that a person left running stays."""
    monkeypatch.setattr(emulated, "_folder", lambda: tmp_path / "emulated")
    yield
    emulated.stop(KNOWN.name)


def test_a_programmed_board_runs_until_it_is_stopped(firmware: Path, image: bytes) -> None:
    moves: list[tuple[int, int]] = []
    started = emulated.program(firmware, KNOWN, image, progress=lambda *done: moves.append(done))
    assert emulated.running(KNOWN.name) == started
    assert moves[-1][0] == moves[-1][1] > 2 * len(image)
    for _ in range(2):  # it goes on after a client has left
        with Client.connect(started.url) as client:
            info = client.info()
            assert (info.name, info.status, info.image_size) == (KNOWN.name, 0, len(image))
            assert client.read("IMAGE") == image
    assert emulated.stop(KNOWN.name) and not emulated.stop(KNOWN.name)
    assert emulated.running(KNOWN.name) is None


@pytest.mark.parametrize("name", [name for name, known in known().items() if known["emulator"]])
def test_every_emulated_board_can_be_programmed(image: bytes, name: str) -> None:
    build_firmware(board=name)
    started = emulated.program(default_firmware(name), board(name), image)
    try:
        with Client.connect(started.url) as client:
            assert (client.info().name, client.info().status, client.read("IMAGE")) == (name, 0, image)
            client.reboot()
            assert client.info().image_size == len(image)
    finally:
        emulated.stop(name)


def test_a_target_beside_it_is_another_board_and_says_so(
    firmware: Path, image: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    started = emulated.program(firmware, KNOWN, image)
    with open_target(f"qemu:{KNOWN.name}") as target:
        assert target.name == KNOWN.name
    assert f"that is --on {started.url}" in caplog.text
    emulated.stop(KNOWN.name)
    caplog.clear()
    open_target(f"qemu:{KNOWN.name}").close()
    assert "another" not in caplog.text


def test_what_it_learned_is_exported_from_its_port(firmware: Path, tmp_path: Path, capsys) -> None:
    """By the host, which has the model's file, and by the board, which has the export table."""
    model = make_model([node("MatMul", "x w", "y")], {"w": values(1, 3, 4)}, {"x": ("N", 3)})
    onnx.save(model, tmp_path / "model.onnx")
    made = compile_model(model, cross_entropy(), sgd(0.1))
    table = export_table(model, made.image)
    (tmp_path / "model.mote").write_bytes(made.image)
    (tmp_path / "model.gmex").write_bytes(table)
    flash = ["flash", "--board", KNOWN.name, "--firmware", str(firmware), str(tmp_path / "model.mote")]
    assert cli.main([*flash, "--export-table", str(tmp_path / "model.gmex")]) == 0
    started = emulated.running(KNOWN.name)
    assert f"gradmote export --from {started.url}" in capsys.readouterr().out
    with Client.connect(started.url) as client:
        client.write("input", 0, np.ones(3, np.float32).tobytes())
        client.write("label", 0, np.array([2], np.int32).tobytes())
        client.run("step")
        learned = client.save_checkpoint()
    export_inference(model, learned, tmp_path / "expected.onnx")
    for own in ([str(tmp_path / "model.onnx")], []):
        assert cli.main(["export", *own, "--from", started.url, "-o", str(tmp_path / "out.onnx")]) == 0
        assert (tmp_path / "out.onnx").read_bytes() == (tmp_path / "expected.onnx").read_bytes()
    with Session(made.image) as session:
        session.load(learned)
        assert session.export_model(table) == (tmp_path / "expected.onnx").read_bytes()


def test_programming_anew_replaces_what_runs(firmware: Path, image: bytes) -> None:
    first = emulated.program(firmware, KNOWN, image)
    second = emulated.program(firmware, KNOWN)
    assert second.url == first.url and second.pid != first.pid
    with Client.connect(second.url) as client:
        assert client.info().image_size == 0  # its memory was blank


def test_a_killed_board_is_not_running_and_leaves_nothing_in_the_way(firmware: Path) -> None:
    started = emulated.program(firmware, KNOWN)
    os.kill(started.pid, signal.SIGKILL)
    assert emulated.stop(KNOWN.name) in (True, False)
    assert emulated.running(KNOWN.name) is None
    assert emulated.program(firmware, KNOWN).pid != started.pid


def test_a_board_that_cannot_be_programmed_is_ended(firmware: Path, image: bytes) -> None:
    nowhere = replace(KNOWN, image_address=0xE0000000)
    with pytest.raises(DeviceError, match=r"0xe000"):
        emulated.program(firmware, nowhere, image)
    assert emulated.running(KNOWN.name) is None


def test_a_serial_port_that_is_taken(firmware: Path) -> None:
    started = emulated.program(firmware, KNOWN)
    port = int(started.url.rpartition(":")[2])
    with pytest.raises(DeviceError, match=rf"port {port} is in use .*another --port"):
        emulated.program(firmware, replace(KNOWN, name="another"), serial_port=port)
    assert emulated.running(KNOWN.name) == started


def test_segments_are_what_the_debugger_finds(firmware: Path) -> None:
    segments = read_segments(firmware)
    assert sum(len(segment.data) for segment in segments) <= KNOWN.flash
    started = emulated.program(firmware, KNOWN)
    gdb = Gdb(started.debugger)
    assert all(gdb.read(segment.address, len(segment.data)) == segment.data for segment in segments)
    gdb.detach()


def test_a_file_that_is_no_firmware(tmp_path: Path) -> None:
    for content in (b"", b"\x7fELF\x02\x01" + bytes(60), b"no firmware"):
        (tmp_path / "x.elf").write_bytes(content)
        with pytest.raises(DeviceError, match="not firmware for a 32-bit part"):
            read_segments(tmp_path / "x.elf")


def test_no_debugger() -> None:
    with pytest.raises(DeviceError, match="nothing listens at the debugger's port 1"):
        Gdb(1, timeout=0.1)
