"""The runtime writes the same ONNX file with its table as `gradmote export`, byte for byte."""

from __future__ import annotations

import json
import struct
import zlib
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gradmote import cli, compile_model, optimizers
from gradmote.artifacts.export import export_inference
from gradmote.artifacts.export_table import export_table
from gradmote.compiler.options import Options
from gradmote.device.client import Client
from gradmote.errors import CheckpointError, DeviceError, ImageError, ModelError, RuntimeFault
from gradmote.formats import records
from gradmote.formats.export_table import export_table_of, unpack, with_export_table
from gradmote.formats.signing import sign
from gradmote.losses import cross_entropy
from gradmote_runtime import Session
from support.drawn_graphs import Drawn, drawn, drawn_convolutional, drawn_quantized
from support.oracle import make_model, node, values

DRAWN = {"graph": drawn, "convolutional": drawn_convolutional, "quantized": drawn_quantized}
#: How the models of each kind are trained, in turn.
SCHEMES = {
    "graph": (None, "last:2", "last:1"),
    "convolutional": (None, "head", "sparse:0.5"),
    "quantized": (None, "last:2", "sparse:0.5"),
}


def trained(graph: Drawn, tmp_path, scheme=None, **settings) -> tuple[bytes, bytes]:
    """Return the file that the runtime wrote after some steps, and that of the host."""
    made = compile_model(
        graph.model, cross_entropy(), optimizers.adam(0.02), outputs=[graph.model.graph.output[0].name],
        scheme=scheme, batch=graph.batch, **settings,
    )  # fmt: skip
    table = export_table(graph.model, made.image)
    random = np.random.default_rng(0)
    with Session(made.image) as session:
        for x in graph.inputs(3):
            session.step(x, random.integers(0, graph.classes, graph.batch))
        export_inference(graph.model, session.save(), tmp_path / "trained.onnx")
        return session.export_model(table), (tmp_path / "trained.onnx").read_bytes()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", DRAWN)
def test_the_runtime_writes_what_the_host_writes(kind: str, seed: int, tmp_path) -> None:
    found, expected = trained(DRAWN[kind](seed), tmp_path, SCHEMES[kind][seed % 3])
    assert found == expected
    onnx.checker.check_model(onnx.load_from_string(found))


@pytest.mark.parametrize("options", [{"weights": "int16"}, {"gradients": "float"}])
def test_integers_of_masters(options: dict, tmp_path) -> None:
    found, expected = trained(drawn_quantized(0), tmp_path, **options)
    assert found == expected


@pytest.mark.parametrize("opset", range(8, 24))
def test_opsets_and_external_data(opset: int, tmp_path) -> None:
    """The weights are in a file of their own. What is exported has all of them in one."""
    nodes = [node("Gemm", "x w b", "h"), node("Relu", "h", "r"), node("MatMul", "r v", "y")]
    model = make_model(
        nodes, {"w": values(1, 6, 40), "b": values(2, 40), "v": values(3, 40, 3)}, {"x": ("N", 6)}, opset=opset
    )
    onnx.save(model, tmp_path / "model.onnx", save_as_external_data=True, size_threshold=0)
    path = tmp_path / "model.onnx"
    made = compile_model(path, cross_entropy(), optimizers.sgd(0.1), batch=2)
    table = export_table(path, made.image)
    with Session(made.image) as session:
        session.step(np.ones((2, 6), np.float32), np.array([0, 2]))
        export_inference(path, session.save(), tmp_path / "trained.onnx")
        assert session.export_model(table) == (tmp_path / "trained.onnx").read_bytes()


def test_a_transposed_copy_takes_one_range(tmp_path) -> None:
    """The exporter folded a Transpose: the weight and its copy train as one."""
    weight = values(1, 5, 8)
    nodes = [node("MatMul", "x w", "h"), node("MatMul", "h val_3", "y")]
    model = make_model(nodes, {"w": weight, "val_3": np.ascontiguousarray(weight.T)}, {"x": ("N", 5)})
    made = compile_model(model, cross_entropy(), optimizers.sgd(0.1), batch=2)
    table = export_table(model, made.image)
    ranges = records.unpack("export_header", table)["ranges"]
    rows = [records.unpack("export_range", table, 40 + 32 * k) for k in range(ranges)]
    assert sorted((row["columns"], row["rows"]) for row in rows) == [(5, 8), (40, 1)]
    with Session(made.image) as session:
        session.step(np.ones((2, 5), np.float32), np.array([0, 2]))
        found = {
            t.name: onnx.numpy_helper.to_array(t)
            for t in onnx.load_from_string(session.export_model(table)).graph.initializer
        }
    np.testing.assert_array_equal(found["w"].T, found["val_3"])
    assert (found["w"] != weight).any()


def test_the_command_writes_a_table_beside_the_image(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    onnx.save(small()[0], "model.onnx")
    compiling = ["compile", "model.onnx", "--loss", "cross_entropy", "--no-check", "--export-table"]
    assert cli.main([*compiling, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["export_table"] == "model.gmex"
    with Session((tmp_path / "model.mote").read_bytes()) as session:
        session.step(np.ones((1, 3), np.float32), np.array([1]))
        (tmp_path / "learned.gmck").write_bytes(session.save())
        assert cli.main(["export", "model.onnx", "learned.gmck", "-o", "trained.onnx"]) == 0
        assert session.export_model((tmp_path / "model.gmex").read_bytes()) == (tmp_path / "trained.onnx").read_bytes()
    assert cli.main(["export", "model.onnx", "-o", "trained.onnx"]) == 1
    assert "a .gmck file, or the board with --from PORT" in capsys.readouterr().err
    assert cli.main([*compiling, "--strip-names"]) == 1


def small(*, strip: bool = False, width: int = 4) -> tuple[onnx.ModelProto, bytes]:
    model = make_model([node("MatMul", "x w", "y")], {"w": values(1, 3, width)}, {"x": ("N", 3)})
    return model, compile_model(model, cross_entropy(), optimizers.sgd(0.1), Options(strip_names=strip)).image


def test_what_does_not_belong_together() -> None:
    (model, image), (other_model, other) = small(), small(width=5)
    table = export_table(model, image)
    with Session(other) as session, pytest.raises(RuntimeFault, match="WRONG_MODEL"):
        session.export_model(table)
    with Session(image) as session:
        for wrong, reason in (
            (table[:-1] + b"\xff", "BAD_CRC"),
            (table[:-1], "TRUNCATED"),
            (b"", "TRUNCATED"),
            (image, "BAD_MAGIC"),
        ):
            with pytest.raises(RuntimeFault, match=reason):
                session.export_model(wrong)
    with pytest.raises(CheckpointError, match=r"\[3, 5\]|\[3, 4\]"):
        export_table(other_model, image)


def test_an_image_without_names_is_refused() -> None:
    with pytest.raises(ModelError, match="has no names"):
        export_table(*small(strip=True))


class Board:
    """A client of a board that sends these bytes as its trained model, or loses its power."""

    def __init__(self, sent: bytes | None) -> None:
        self.sent = sent

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def info(self) -> SimpleNamespace:
        return SimpleNamespace(name="board")

    def export_model(self, progress: object) -> bytes:
        if self.sent is None:
            raise DeviceError("the board does not answer READ any more", "press its reset button")
        return self.sent


@pytest.mark.parametrize("sent", [None, b"\xff" * 100, small()[0].SerializeToString()])
def test_a_board_that_fails_leaves_the_file_that_was_there(sent: bytes | None, tmp_path, monkeypatch) -> None:
    """Only a whole ONNX model takes its place."""
    monkeypatch.setattr(Client, "connect", lambda port: Board(sent))
    (tmp_path / "trained.onnx").write_bytes(b"before")
    is_model = sent is not None and sent[0] != 0xFF
    assert cli.main(["export", "--from", "PORT", "-o", str(tmp_path / "trained.onnx")]) == (not is_model)
    assert (tmp_path / "trained.onnx").read_bytes() == (sent if is_model else b"before")
    assert [path.name for path in tmp_path.iterdir()] == ["trained.onnx"]


def test_a_table_follows_its_image_and_signature() -> None:
    model, image = small()
    table = export_table(model, image)
    for file in (image, sign(image, Ed25519PrivateKey.generate())):
        whole = with_export_table(file, table)
        assert whole == file + table
        assert export_table_of(whole) == table and export_table_of(file) == b""
        assert with_export_table(whole, table) == whole


def test_the_host_reads_what_a_device_would_accept() -> None:
    """Changed words of a table with a right checksum: it is refused by both, or by none."""
    model, image = small()
    table, random = export_table(model, image), np.random.default_rng(0)
    accepted = 0
    with Session(image) as session:
        for _ in range(400):
            changed = np.frombuffer(bytearray(table), "<u4", count=18).copy()
            changed[random.integers(8, 18)] = random.choice(
                [0, 1, 2, 4, 12, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 4]
            )
            other = changed.tobytes() + table[72:]
            other = other[:12] + struct.pack("<I", zlib.crc32(other[16:])) + other[16:]
            try:
                session.export_model(other)
                code = True
            except RuntimeFault as fault:
                code = fault.name == "DOES_NOT_FIT"
            try:
                unpack(other, image)
                assert code
                accepted += 1
            except ImageError:
                assert not code
    assert 0 < accepted < 400
