"""The events of a training for TensorBoard, read back by a reader of our own, with breaks and without."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

from gradmote import cli, compile_model, losses, optimizers
from gradmote.data import Dataset
from gradmote.device import fit, fitting, open_target
from gradmote.device.schedules import Steps, schedule
from gradmote.errors import OutputError
from support import digits
from support.event_files import masked, scalars

EPOCHS, EACH = 3, 11


class Died(Exception):
    """Stands for the end of a process."""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    pixels, labels = digits.samples()
    image = compile_model(digits.model(), losses.cross_entropy(), optimizers.adam(0.02), batch=16).image
    (tmp_path / "model.mote").write_bytes(image)
    parts = {"x": pixels[:240], "y": labels[:240], "x_test": pixels[300:400], "y_test": labels[300:400]}
    np.savez(tmp_path / "data.npz", **parts)
    return tmp_path


def train(files: Path, name: str, *options: object, status: int = 0) -> dict[str, list[tuple[int, float]]]:
    fixed = ["--data", files / "data.npz", "--checkpoint", files / f"{name}.gmck", "--tensorboard", files / name]
    more = ["--validate", "0.2", "--epochs", EPOCHS, "--log", files / f"{name}.csv", "--save-every", 1]
    assert cli.main([str(word) for word in ("train", files / "model.mote", *fixed, *more, *options)]) == status
    return scalars(files / name)


def test_the_checksum() -> None:
    """RFC 3720 gives 0x8A9136AA for 32 zeros; records have it rotated and offset."""
    crc = 0x8A9136AA
    assert masked(bytes(32)) == ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) % 2**32


def test_what_is_written(files: Path) -> None:
    pytest.importorskip("tensorboardX")
    found = train(files, "run", "--schedule", "cosine", "--lr", "0.03")
    rows = list(csv.DictReader((files / "run.csv").open()))
    assert [step for step, _ in found["loss"]] == [*range(1, EPOCHS * EACH + 1)] == [step for step, _ in found["rate"]]
    for k, row in enumerate(rows):
        each = [loss for _, loss in found["loss"][k * EACH : (k + 1) * EACH]]
        np.testing.assert_allclose(np.mean(each), float(row["loss"]), rtol=1e-6)
    for tag, column in (("validation/loss", "test_loss"), ("validation/accuracy", "test_accuracy")):
        assert [step for step, _ in found[tag]] == [EACH * n for n in range(1, EPOCHS + 1)]
        np.testing.assert_allclose([v for _, v in found[tag]], [float(row[column]) for row in rows], rtol=1e-6)
    wanted = schedule("cosine", 0.03, Steps(EPOCHS, EACH))
    rates = [wanted(k) for k in range(EPOCHS * EACH)]
    np.testing.assert_allclose([rate for _, rate in found["rate"]], rates, rtol=1e-6)
    assert {value for _, value in found["skipped"]} == {0.0}
    assert [step for step, _ in found["test/accuracy"]] == [EPOCHS * EACH]


def test_the_rate_of_a_linear_schedule_is_that_of_each_update(files: Path) -> None:
    pytest.importorskip("tensorboardX")
    total = EPOCHS * EACH
    found = train(files, "run", "--lr", "0.03", "--warmup", 6)
    wanted = [0.03 * min(k / 6, (total - k) / (total - 6)) for k in range(total)]
    np.testing.assert_allclose([rate for _, rate in found["rate"]], wanted, rtol=1e-5)


@pytest.mark.parametrize("breaks", [(5,), (EACH, 2 * EACH + 3)])
def test_what_goes_on_has_each_point_once(
    breaks: tuple[int, ...], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies after updates that were written, with the checkpoint of an earlier one."""
    pytest.importorskip("tensorboardX")
    whole = train(files, "whole", "--save-every", 4)
    calls, step = [0], fitting.train_once
    for k, dies in enumerate(breaks):

        def dying(target: object, dies: int = dies) -> object:
            if calls[0] >= dies:
                raise Died
            calls[0] += 1
            return step(target)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(fitting, "train_once", dying)
            with pytest.raises(Died):
                train(files, "cut", "--save-every", 4, *(("--continue",) if k else ()))
    assert train(files, "cut", "--save-every", 4, "--continue") == whole
    assert len(list((files / "cut").iterdir())) == len(breaks) + 1


def test_a_run_that_died_in_its_test_has_each_point_once(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All updates of the epoch are done, and its test is missing."""
    pytest.importorskip("tensorboardX")
    whole = train(files, "whole")

    def dying(*_: object) -> object:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(fitting, "evaluate", dying)
        with pytest.raises(Died):
            train(files, "cut")
    assert train(files, "cut", "--continue") == whole


def test_skipped_steps_have_no_loss(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    from gradmote.report.tensorboard import EventLog

    pixels, labels = (array[:64].copy() for array in digits.samples())
    pixels[5] = np.nan
    log = EventLog(tmp_path / "new" / "run")
    with open_target("twin") as target:
        target.load_image(digits.image(optimizers.sgd(0.1), 16))
        fit(target, Dataset(pixels, labels), 2, on_step=log.on_step, on_epoch=log.on_epoch)
    log.close()
    found = scalars(tmp_path / "new" / "run")
    assert len(found["loss"]) == 6 and found["skipped"][-1] == (8, 2.0) and "test/loss" not in found


def test_a_folder_of_another_training_is_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tensorboardX")
    before = train(files, "run")
    assert train(files, "run", status=1) == before
    assert "has the events of another training" in capsys.readouterr().err


def test_a_disk_that_fills_up_does_not_end_the_training(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tensorboardX")
    from gradmote.report.tensorboard import EventLog

    def full(log: EventLog, step: object, rate: float) -> None:
        raise OutputError("no space left", "make some")

    monkeypatch.setattr(EventLog, "on_step", full)
    train(files, "run")
    said = capsys.readouterr().err
    assert said.count("no more events for TensorBoard") == 1 and (files / "run.gmck").is_file()


def test_without_the_library_nothing_begins(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    train(files, "run", status=1)
    said = capsys.readouterr().err
    assert "tensorboardX is not installed" in said and "pip install tensorboardX" in said
    assert not (files / "run").exists() and not (files / "run.gmck").exists()
