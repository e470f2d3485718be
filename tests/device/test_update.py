"""Another model on a board: the old one stays until the new one is whole, and what fits of its state is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.cli import main
from gradmote.compiler import Options, compile_image
from gradmote.compiler.sample_store import StoreOptions
from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.client import Client
from gradmote.device.emulator import Emulator
from gradmote.errors import DeviceError, GradmoteError
from gradmote.formats.carry_over import compare
from gradmote.formats.image import read_image
from gradmote.report.image_reports import carry_over_rows
from support.quiet import after_quiet

FEATURES, HIDDEN, BATCH = 12, 8, 4
SGD = optimizers.sgd(0.1, momentum=0.9)


def image_with(classes: int, optimizer: optimizers.Optimizer = SGD, store: StoreOptions | None = None) -> bytes:
    """Return an image: features, then a head of so many classes; weights drawn from their number."""
    model = onnx.parser.parse_model(f"""
        <ir_version: 8, opset_import: ["": 17]>
        mlp (float[N,{FEATURES}] x) => (float[N,{classes}] y) {{
          h = Gemm <transB = 1> (x, features_weight, features_bias)
          a = Relu (h)
          y = Gemm <transB = 1> (a, head_weight, head_bias)
        }}""")
    drawn = np.random.default_rng(classes)
    shapes = {"features_weight": (HIDDEN, FEATURES), "features_bias": (HIDDEN,)}
    shapes |= {"head_weight": (classes, HIDDEN), "head_bias": (classes,)}
    for name, shape in shapes.items():
        array = drawn.normal(0, 0.3, shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    made = build_artifacts(model, loss=losses.cross_entropy(), optimizer=optimizer)
    return compile_image(made, Options(batch=BATCH, properties=2, store=store)).image


def train(target: BoardTarget | TwinTarget, steps: int, seed: int = 0) -> None:
    drawn = np.random.default_rng(seed)
    for _ in range(steps):
        target.write("input", 0, drawn.normal(size=(BATCH, FEATURES)).astype(np.float32))
        target.write("label", 0, drawn.integers(0, 3, BATCH).astype(np.int32))
        target.run("step")


@pytest.fixture(scope="module")
def old() -> bytes:
    return image_with(3)


@pytest.fixture(scope="module")
def new() -> bytes:
    return image_with(4)


@pytest.fixture
def target(emulator: Emulator) -> Iterator[BoardTarget]:
    with BoardTarget(emulator.connect()) as on_board:
        yield on_board


@pytest.fixture
def twin() -> Iterator[TwinTarget]:
    with TwinTarget("strict") as twin:
        yield twin


def trained_alike(old: bytes, *targets: BoardTarget | TwinTarget) -> None:
    for each in targets:
        each.load_image(old)
        train(each, 7)


def test_one_class_more_keeps_the_features(target: BoardTarget, twin: TwinTarget, old: bytes, new: bytes) -> None:
    trained_alike(old, target, twin)
    learned = twin.parameters()[: 4 * HIDDEN * FEATURES]
    seen: list[int] = []
    done = target.update_image(new, progress=lambda sent, total: seen.append(sent))
    reported = twin.update_image(new)
    assert done.kept and done.entries == reported.entries and seen[-1] == len(new)
    assert {p.name for p in done.entries if p.carried} == {"features_weight", "features_bias", "properties"}
    assert target.state() == twin.state() and target.parameters()[: len(learned)] == learned
    target.board.reboot()
    assert target.image() == new and target.state() == twin.state()
    for each in (target, twin):
        train(each, 5, seed=1)
    assert target.save() == twin.save()


def test_all_of_it_is_kept_by_the_same_model(target: BoardTarget, twin: TwinTarget, old: bytes) -> None:
    trained_alike(old, target, twin)
    again = image_with(3)
    assert target.update_image(again).entries == twin.update_image(again).entries == ()
    assert target.state() == twin.state() and twin.session.control()["train_steps"] == 7


def test_back_and_forth(target: BoardTarget, twin: TwinTarget, old: bytes, new: bytes) -> None:
    trained_alike(old, target, twin)
    for turn, image in enumerate((new, old, new, old)):
        assert target.update_image(image).entries == twin.update_image(image).entries
        for each in (target, twin):
            train(each, 2, seed=turn)
        assert target.state() == twin.state() and target.image() == image
    target.board.load_image(new)  # the whole area again
    target.board.reboot()
    assert target.image() == new


def test_a_broken_off_update_leaves_the_old_model_running(target: BoardTarget, old: bytes, new: bytes) -> None:
    target.load_image(old)
    train(target, 3)
    state = target.state()
    target.board.request("UPDATE_BEGIN", size=len(new))
    target.board.request("IMAGE_DATA", offset=0, data=new[:1000])
    assert target.state() == state
    train(target, 1)
    with pytest.raises(DeviceError, match="OUT_OF_ORDER"):
        target.board.request("UPDATE_END", carry=1)
    kept = target.save()
    target.board.reboot()
    assert target.image() == old and target.save() == kept
    assert target.update_image(new).kept and target.image() == new


def test_it_goes_on_where_it_stopped(target: BoardTarget, old: bytes) -> None:
    class Stop(Exception):
        pass

    def stop(sent: int, total: int) -> None:
        if sent > 9000:
            raise Stop

    large = image_with(400)
    target.load_image(old)
    with pytest.raises(Stop):
        target.update_image(large, progress=stop)
    target.board.reboot()
    seen: list[int] = []
    target.update_image(large, progress=lambda sent, total: seen.append(sent))
    assert seen[0] > 8192 and target.image() == large


def test_a_checkpoint_that_comes_between_costs_nothing(target: BoardTarget, old: bytes, new: bytes) -> None:
    target.load_image(old)
    saved: list[int] = []

    def save_once(sent: int, total: int) -> None:
        if not saved:
            target.board.request("SAVE")
            saved.append(sent)

    assert target.update_image(new, progress=save_once).kept and saved and target.image() == new


def test_while_it_trains_when_idle(target: BoardTarget) -> None:
    taught = image_with(3, store=StoreOptions(6))
    target.load_image(taught)
    drawn = np.random.default_rng(0)
    for label in (0, 1, 2):
        target.learn(label, drawn.normal(size=FEATURES).astype(np.float32))
    target.board.set_idle_training(True)
    target.board.request("UPDATE_BEGIN", size=len(new := image_with(5)))
    target.board.request("IMAGE_DATA", offset=0, data=new[:400])
    after_quiet(lambda: target.board.metrics().train_steps)
    before = target.parameters()[: 4 * HIDDEN * FEATURES]
    done = target.update_image(new)
    assert done.kept and target.board.metrics().train_steps == 0
    after = target.parameters()[: len(before)]
    with TwinTarget("fused") as twin:
        twin.load_image(taught)
        assert twin.parameters()[: len(before)] not in (before, after)
    assert [p.name for p in done.entries if p.carried and p.role == "parameter"] == ["features_weight", "features_bias"]


@pytest.mark.parametrize("place", [0, 4, 12, 200, -5])
def test_a_damaged_image_is_refused(target: BoardTarget, old: bytes, new: bytes, place: int) -> None:
    target.load_image(old)
    train(target, 2)
    state, bad = target.state(), bytearray(new)
    bad[place] ^= 1
    with pytest.raises(GradmoteError):
        target.board.update_image(bytes(bad))
    assert target.state() == state and target.image() == old
    target.board.reboot()
    assert target.image() == old


def test_what_does_not_fit_is_refused_at_once(target: BoardTarget, old: bytes) -> None:
    target.load_image(old)
    area = target.board.raw_info["image_area"]
    with pytest.raises(DeviceError, match="NO_ROOM_TO_UPDATE"):
        target.board.request("UPDATE_BEGIN", size=area // 2)
    target.board.request("UPDATE_BEGIN", size=area // 2 - 64)
    assert target.image() == old


def test_without_a_model_there_is_nothing_to_update(board: Client, new: bytes) -> None:
    with pytest.raises(DeviceError, match="NO_IMAGE"):
        board.update_image(new)


def test_the_command_says_what_is_kept(
    emulator: Emulator, old: bytes, new: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "new.mote").write_bytes(new)
    with emulator.connect() as board:
        board.load_image(old)
    assert main(["update", str(tmp_path / "new.mote"), "--on", emulator.url]) == 0
    said = capsys.readouterr().out
    assert "features_weight" in said and "[3, 8]" in said and "4 of the optimizer" in said


# ---- The table, without a board ----------------------------------------------------------------------------------


OPTIMIZERS = {"momentum": SGD, "adamw": optimizers.adamw(0.01), "sgd": optimizers.sgd(0.1)}


@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_the_table_says_what_the_runtime_does(twin: TwinTarget, old: bytes, optimizer: optimizers.Optimizer) -> None:
    for classes in (3, 4):
        twin.load_image(old)
        other = image_with(classes, optimizer)
        entries = compare(read_image(old).state, read_image(other).state)
        state = twin.save()
        with TwinTarget("fused") as fresh:
            fresh.load_image(other)
            assert fresh.session.carry_over(state) == sum(entry.carried for entry in entries)
        assert all(entry.carried != bool(entry.why) for entry in entries)
        assert len(carry_over_rows(entries)[1][0]) == 4


def moments_of(twin: TwinTarget, image: bytes) -> bytes:
    rows = [row for row in read_image(image).state if row["role"] == "slot"]
    assert rows
    return b"".join(twin.state()[row["offset"] : row["offset"] + row["size"]] for row in rows)


def test_moments_come_only_together(twin: TwinTarget, old: bytes, new: bytes) -> None:
    trained_alike(old, twin)
    state = twin.save()
    twin.load_image(new)
    twin.session.carry_over(state)
    assert not any(moments_of(twin, new))
    twin.load_image(old)
    twin.session.carry_over(state)
    assert any(moments_of(twin, old))
