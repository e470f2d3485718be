"""A board writes its trained model as ONNX, with the export table that was flashed with its image: in frames for a
program, and as typed text."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest

from gradmote import compile_model
from gradmote.artifacts.export import export_inference
from gradmote.artifacts.export_table import export_table
from gradmote.device import BoardTarget
from gradmote.device.boards import board
from gradmote.device.client import Client
from gradmote.device.emulator import Emulator
from gradmote.errors import DeviceError, GradmoteError
from gradmote.formats import records
from gradmote.formats.export_table import with_export_table
from gradmote.losses import cross_entropy
from gradmote.optimizers import sgd
from support.oracle import make_model, node, values

pytestmark = pytest.mark.device

NAME = "mps2-an386"
BEGIN, END = "begin-base64 644 trained.onnx", "===="


@dataclass(frozen=True)
class Made:
    """A model, its image, and its export table."""

    model: onnx.ModelProto
    image: bytes
    table: bytes


@cache
def made(width: int = 4) -> Made:
    model = make_model([node("MatMul", "x w", "y")], {"w": values(1, 30, width)}, {"x": ("N", 30)})
    image = compile_model(model, cross_entropy(), sgd(0.1)).image
    return Made(model, image, export_table(model, image))


@pytest.fixture
def exporter(firmware: Path) -> Iterator[Client]:
    """A board that was flashed with an export table, after one step."""
    with flashed(firmware, with_export_table(made().image, made().table)) as (_, client):
        train(client)
        yield client


class flashed:
    """An emulated board with these bytes in its area of images, and its client."""

    def __init__(self, firmware: Path, content: bytes) -> None:
        self.emulator = Emulator(NAME, firmware, image=content)

    def __enter__(self) -> tuple[Emulator, Client]:
        self.client = self.emulator.connect()
        return self.emulator, self.client

    def __exit__(self, *error: object) -> None:
        self.client.close()
        self.emulator.stop()


def train(client: Client) -> None:
    client.write("input", 0, np.linspace(-1, 1, 30, dtype=np.float32).tobytes())
    client.write("label", 0, np.array([2], np.int32).tobytes())
    client.run("step")


def exported(what: Made, checkpoint: bytes, folder: Path) -> bytes:
    """Return what `gradmote export` writes of a checkpoint."""
    export_inference(what.model, checkpoint, folder / "expected.onnx")
    return (folder / "expected.onnx").read_bytes()


def decoded(text: str) -> tuple[bytes, str]:
    """Return the file that was typed, and the line after it."""
    lines = text.splitlines()
    start, end = lines.index(BEGIN), lines.index(END)
    return base64.b64decode("".join(lines[start + 1 : end])), lines[end + 1]


# ---- What is written -------------------------------------------------------------------------------------------------


def test_the_board_writes_what_the_host_writes(exporter: Client, tmp_path: Path) -> None:
    found = exporter.export_model()
    assert found == exported(made(), exporter.save_checkpoint(), tmp_path)
    onnx.checker.check_model(onnx.load_from_string(found))
    typed, summary = decoded(exporter.type("export"))
    assert typed == found
    assert summary == f"{len(found)} bytes, crc32 {zlib.crc32(found):08x}"


def test_typed_is_the_state_as_it_is_and_frames_have_what_is_kept(exporter: Client, tmp_path: Path) -> None:
    before = exporter.export_model()
    train(exporter)
    assert exporter.read("ONNX") == before
    typed, _ = decoded(exporter.type("export"))
    assert typed != before
    assert typed == exported(made(), exporter.save_checkpoint(), tmp_path)


def test_a_table_comes_with_an_image_and_with_an_update(board: Client, tmp_path: Path) -> None:
    for number, width in enumerate((4, 5, 4)):
        sent = with_export_table(made(width).image, made(width).table)
        if number == 0:
            board.load_image(sent)
        else:
            BoardTarget(board).update_image(sent)
        assert board.export_table() == made(width).table
        train(board)
        assert board.export_model() == exported(made(width), board.save_checkpoint(), tmp_path)
    board.update_image(made(5).image)
    assert board.export_table() == b""
    with pytest.raises(DeviceError, match="no export table"):
        board.export_model()
    assert "no export table" in board.type("export")


# ---- What is refused -------------------------------------------------------------------------------------------------


def changed(table: bytes, at: int, value: int, sealed: bool = True) -> bytes:
    """Return a table with another number, and the right checksum."""
    other = bytearray(table)
    struct.pack_into("<I", other, at, value)
    if sealed:
        struct.pack_into("<I", other, 12, zlib.crc32(other[16:]))
    return bytes(other)


#: What is wrong -> (the table, what the board says, what the host says).
WRONG = {
    "damaged": (changed(made().table, len(made().table) - 4, 1, sealed=False), "BAD_CRC", "checksum"),
    "version": (changed(made().table, 4, 9), "BAD_VERSION", "version 9"),
    "model": (made(5).table, "WRONG_MODEL", "another model"),
    "count": (changed(made().table, 32, 0x08000001), "BAD_SECTION", "as long as"),
    "outside of the file": (changed(made().table, 40, 0xFFFFFFF0), "BAD_SECTION", "not in its file"),
    "outside of the state": (changed(made().table, 44, 0x00FFFFFF), "BAD_SECTION", "not in the image's state"),
    "kind": (changed(made().table, 48, 3), "BAD_SECTION", "not in its file"),
}


@pytest.mark.parametrize("what", WRONG)
def test_the_host_refuses_a_wrong_table(what: str) -> None:
    table, _, reason = WRONG[what]
    with pytest.raises(GradmoteError, match=reason):
        with_export_table(made().image, table)


def test_the_board_refuses_them_too_and_goes_on(firmware: Path) -> None:
    """Whoever has the line can send any table."""
    with flashed(firmware, made().image) as (_, client):
        for what, (table, reason, _) in WRONG.items():
            client.load_image(made().image + table)
            train(client)
            client.save_checkpoint()
            with pytest.raises(GradmoteError, match=reason):
                client.read("ONNX")
            assert BEGIN not in client.type("export"), what
            client.run("eval")


def test_what_is_no_table_is_none(firmware: Path) -> None:
    """Its magic, or a size that is larger than the area; one that was cut off has a wrong checksum."""
    for table in (changed(made().table, 8, 0xFFFFFFFF), changed(made().table, 0, 1)):
        with flashed(firmware, made().image + table) as (_, client):
            assert client.info().status == 0
            assert client.export_table() == b""
    with flashed(firmware, made().image + made().table[:-1]) as (_, client):
        assert "checksum" in client.type("export")


def test_no_checkpoint_is_kept(firmware: Path) -> None:
    with (
        flashed(firmware, with_export_table(made().image, made().table)) as (_, client),
        pytest.raises(DeviceError, match="no checkpoint"),
    ):
        client.read("ONNX")


# ---- What comes between ----------------------------------------------------------------------------------------------


def test_a_save_between_the_parts_is_noticed(exporter: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    read = exporter.read

    def read_and_train(source: str, **options: object) -> bytes:
        data = read(source, **options)
        train(exporter)
        exporter.request("SAVE")
        return data

    monkeypatch.setattr(exporter, "read", read_and_train)
    with pytest.raises(DeviceError, match="saved another state while"):
        exporter.export_model()


@pytest.fixture
def exporting(firmware: Path) -> Iterator[Client]:
    """A board that prints a model of 48 KB."""
    with flashed(firmware, with_export_table(made(400).image, made(400).table)) as (_, client):
        train(client)
        client._link.write(b"export\r")
        yield client


def ended(client: Client, printed: bytes = b"") -> bool:
    """Return whether the typed export reached its end, at the next prompt."""
    while not printed.endswith(b"\n> "):
        data = client._link.read(30.0)
        assert data, printed[-200:]
        printed += data
    assert BEGIN.encode() in printed
    return END.encode() in printed.splitlines()


def test_ctrl_c_ends_a_typed_export(exporting: Client) -> None:
    exporting._link.write(b"\x03")
    assert not ended(exporting)
    assert "loss" in exporting.type("eval")


def test_a_frame_that_trains_ends_a_typed_export(exporting: Client) -> None:
    """The text would be of two states."""
    printed: list[str] = []
    exporting._on_text = printed.append
    exporting.run("step")
    assert not ended(exporting, "".join(printed).encode())


def test_an_update_does_not_erase_the_table_of_the_running_model(firmware: Path) -> None:
    """It goes to the second half of the area, so the image and its table must end before that."""
    half = board(NAME).image_area // 2
    header, start = records.unpack("export_header", made().table), records.size_of("export_header")
    ranges = made().table[start : len(made().table) - header["model_size"]]
    for room, refused in ((half, False), (half + 1, True)):
        model = bytes(room - len(made().image) - start - len(ranges))
        fields = {**header, "size": start + len(ranges) + len(model), "model_size": len(model)}
        table = changed(records.pack("export_header", fields) + ranges + model, 36, len(model))
        with flashed(firmware, with_export_table(made().image, table)) as (_, client):
            if refused:
                with pytest.raises(DeviceError, match="no room for this image beside the old one"):
                    client.update_image(made(5).image)
            else:
                client.update_image(made(5).image)
