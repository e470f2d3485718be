"""The course of a training: samples set apart, schedules, the best epoch, patience, a log, and how it goes on."""

from __future__ import annotations

import csv
import json
import math
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradmote import cli, compile_model, losses, optimizers
from gradmote.data import Dataset
from gradmote.data.split import split
from gradmote.device import evaluate, fit, fitting, open_target
from gradmote.device.schedules import Steps, schedule
from gradmote.errors import DataError
from support import digits

EPOCHS = 4


# ---- Samples set apart ----------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.floats(0.01, 0.99), st.integers(0, 9))
def test_a_share_of_each_class_is_set_apart(sizes: list[int], share: float, seed: int) -> None:
    y = np.random.default_rng(1).permutation(np.repeat(np.arange(len(sizes)), sizes)).astype(np.int32)
    x = np.arange(len(y), dtype=np.float32)[:, None]
    data = Dataset(x, y, more={"mask": x + 0.5})
    if max(sizes) == 1:
        with pytest.raises(DataError, match="sets none apart"):
            split(data, share, seed)
        return
    rest, apart = split(data, share, seed)
    assert rest.y is not None and apart.y is not None
    assert sorted(np.concatenate([rest.x, apart.x])[:, 0]) == list(range(len(y)))
    for part in (rest, apart):
        assert np.array_equal(y[part.x[:, 0].astype(int)], part.y) and np.array_equal(part.more["mask"], part.x + 0.5)
    for label, size in enumerate(sizes):
        wanted = min(max(round(size * share), 1), size - 1)
        assert (apart.y == label).sum() == wanted
    assert np.array_equal(split(data, share, seed)[1].x, apart.x)


def test_a_share_of_targets_is_set_apart() -> None:
    x = np.arange(50, dtype=np.float32)[:, None]
    assert len(split(Dataset(x, x), 0.2)[1].x) == 10
    with pytest.raises(DataError, match="1 is not a share to set apart"):
        split(Dataset(x, x), 1.0)


# ---- Schedules ------------------------------------------------------------------------------------------------------


def of_torch(make: Callable[[Any], Any], updates: int, rate: float) -> list[float]:
    """Return the rates of PyTorch's scheduler."""
    rule = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], rate)
    scheduler, rates = make(rule), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a scheduler that steps without its optimizer
        for _ in range(updates):
            rates.append(rule.param_groups[0]["lr"])
            scheduler.step()
    return rates


@pytest.mark.parametrize("each", [1, 7])
def test_schedules_are_those_of_pytorch(each: int) -> None:
    kinds = torch.optim.lr_scheduler
    total = 12 * each
    wanted: dict[str, Callable[[Any], Any]] = {
        "cosine": lambda rule: kinds.CosineAnnealingLR(rule, total),
        "step:5:0.3": lambda rule: kinds.StepLR(rule, 5 * each, 0.3),
        "one-cycle": lambda rule: kinds.OneCycleLR(rule, 0.2, total),
        "constant": lambda rule: kinds.ConstantLR(rule, 1.0),
    }
    for text, make in wanted.items():
        made = schedule(text, 0.2, Steps(12, each))
        np.testing.assert_allclose([made(k) for k in range(total)], of_torch(make, total, 0.2), rtol=1e-9, err_msg=text)


def test_a_warm_up_comes_before() -> None:
    made = schedule("cosine", 0.2, Steps(3, 10), warmup=10)
    np.testing.assert_allclose([made(k) for k in range(10)], 0.02 * np.arange(1, 11))
    rest = schedule("cosine", 0.2, Steps(2, 10))
    np.testing.assert_allclose([made(10 + k) for k in range(20)], [rest(k) for k in range(20)])


@pytest.mark.parametrize(
    "text, warmup", [("nope", 0), ("cosine:3", 0), ("step", 0), ("step:0", 0), ("step:2:x", 0), ("step:2:0.1:1", 0),
                     ("one-cycle", 5), ("cosine", 30), ("step:2:1.5", 0)],
)  # fmt: skip
def test_schedules_that_are_none(text: str, warmup: int) -> None:
    with pytest.raises(DataError):
        schedule(text, 0.1, Steps(3, 10), warmup)


# ---- The best epoch -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def image() -> bytes:
    """A network with dropout, whose masks are part of what goes on."""
    model = digits.model(dropout=0.2)
    return compile_model(model, losses.cross_entropy(), optimizers.adam(0.02), batch=16).image


@pytest.fixture
def files(tmp_path: Path, image: bytes) -> Path:
    pixels, labels = digits.samples()
    (tmp_path / "model.mote").write_bytes(image)
    parts = {"x": pixels[:300], "y": labels[:300], "x_test": pixels[300:500], "y_test": labels[300:500]}
    np.savez(tmp_path / "data.npz", **parts)
    return tmp_path


def some(count: int) -> Dataset:
    pixels, labels = digits.samples()
    return Dataset(pixels[:count], labels[:count], pixels[count : count + 100], labels[count : count + 100])


def test_the_target_ends_with_its_best_epoch(image: bytes) -> None:
    found = []
    with open_target("twin") as target:
        target.load_image(image)
        result = fit(target, some(160), 8, keep_best=True, on_best=found.append)
        held, best = target.save(), result.best
        assert best is not None and held == best.checkpoint and best is found[-1]
        assert evaluate(target, some(160)) == best.test
        ranks = [(-epoch.test.accuracy, epoch.test.loss) for epoch in result.epochs if epoch.test]
        assert ranks.index(min(ranks)) + 1 == best.epoch == [b.epoch for b in found][-1]
        assert result.last is not None and (result.last == held) == (best.epoch == 8)


def test_patience_ends_it(image: bytes) -> None:
    with open_target("twin") as target:
        target.load_image(image)
        target.set_learning_rate(1e-9)  # nothing gets better
        result = fit(target, some(160), 50, patience=3)
        assert result.ran_out and result.best is not None and len(result.epochs) == result.best.epoch + 3 < 20
        assert result.best.checkpoint == b""


def test_without_a_test_there_is_no_best(image: bytes) -> None:
    with open_target("twin") as target:
        target.load_image(image)
        with pytest.raises(DataError, match="no test set"):
            fit(target, some(160).without_test(), 1, keep_best=True)


# ---- The command ----------------------------------------------------------------------------------------------------


def train(files: Path, name: str, *options: object, status: int = 0) -> None:
    fixed = ["--data", files / "data.npz", "--checkpoint", files / name, "--batch-order", 3]
    words = ["train", files / "model.mote", *fixed, *options]
    assert cli.main([str(word) for word in words]) == status


COURSE = ("--validate", "0.2", "--keep-best", "--patience", "9", "--schedule", "cosine", "--lr", "0.03", "--warmup", 5)


@pytest.mark.parametrize("breaks", [(7,), (30, 33), (1, 2, 45)])
def test_what_goes_on_has_the_bits_of_a_run_without_a_break(
    breaks: tuple[int, ...], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that dies after any update goes on from its last save: state, best epoch, and log."""
    options = (*COURSE, "--epochs", EPOCHS, "--save-every", 1)
    train(files, "whole.gmck", *options, "--log", files / "whole.csv")
    monkeypatch.setattr(fitting, "train_once", counted := Counted(fitting.train_once))
    for k, dies in enumerate(breaks):
        counted.dies = dies
        with pytest.raises(Died):
            train(files, "cut.gmck", *options, "--log", files / "cut.csv", *(("--continue",) if k else ()))
    counted.dies = math.inf
    train(files, "cut.gmck", *options, "--log", files / "cut.csv", "--continue")
    for name in ("{}.gmck", "{}.best.gmck"):
        assert (files / name.format("cut")).read_bytes() == (files / name.format("whole")).read_bytes(), name
    whole, cut = (list(csv.DictReader((files / f"{name}.csv").open())) for name in ("whole", "cut"))
    assert [row["test_loss"] for row in whole] == [row["test_loss"] for row in cut] and len(whole) == EPOCHS


class Died(Exception):
    """Stands for the end of a process, which no code of the command handles."""


class Counted:
    """A step that dies after so many calls in all."""

    def __init__(self, step: Callable[[Any], Any]) -> None:
        self.step, self.calls, self.dies = step, 0, math.inf

    def __call__(self, target: Any) -> Any:
        if self.calls >= self.dies:
            raise Died
        self.calls += 1
        return self.step(target)


def test_a_run_that_is_another_is_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(files, "a.gmck", "--epochs", 1)
    for options, said in (
        (("--epochs", 2, "--lr", "0.1"), "another lr: None, now 0.1"),
        (("--epochs", 2, "--validate", "0.1"), "another validate"),
        (("--epochs", 1), "has done its 1 epochs"),
    ):
        train(files, "a.gmck", "--continue", *options, status=1)
        assert said in capsys.readouterr().err
    (files / "a.run.json").write_text("{}")
    train(files, "a.gmck", "--continue", status=1)
    assert "is not a run of gradmote train" in capsys.readouterr().err
    train(files, "a.gmck", "--epochs", 3, "--keep-best", status=1)
    assert "--validate" in capsys.readouterr().err


def test_a_run_that_ended_before_its_first_save_is_not_gone_on_with(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The checkpoint that is there is another training's."""
    train(files, "a.gmck", "--epochs", 1)
    run, held = (files / "a.run.json").read_bytes(), (files / "a.gmck").read_bytes()
    monkeypatch.setattr(fitting, "train_once", counted := Counted(fitting.train_once))
    counted.dies = 3
    with pytest.raises(Died):
        train(files, "a.gmck", "--epochs", 2, "--lr", "0.1")
    assert (files / "a.run.json").read_bytes() == run and (files / "a.gmck").read_bytes() == held
    train(files, "a.gmck", "--epochs", 2, "--lr", "0.1", "--continue", status=1)
    assert "another lr" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["cut.run.json", "cut.gmck"])
@pytest.mark.parametrize("count", [1, 6, 15, 16])
def test_a_crash_between_two_files_leaves_a_run_to_go_on_with(
    name: str, count: int, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one after the last update of an epoch, before its test."""
    options = (*COURSE, "--epochs", 2, "--save-every", 1)
    train(files, "whole.gmck", *options)
    with monkeypatch.context() as patch:
        replace, left = os.replace, [count]

        def die(source: str, target: str) -> None:
            left[0] -= Path(target).name == name
            if left[0] < 0:
                raise Died
            replace(source, target)

        patch.setattr(os, "replace", die)
        with pytest.raises(Died):
            train(files, "cut.gmck", *options)
    train(files, "cut.gmck", *options, "--continue")
    for kind in ("gmck", "best.gmck"):
        assert (files / f"cut.{kind}").read_bytes() == (files / f"whole.{kind}").read_bytes(), kind


def test_half_a_checkpoint_is_not_gone_on_with(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(files, "a.gmck", "--epochs", 1, "--half")
    for more in ((), ("--half",)):
        train(files, "a.gmck", "--epochs", 2, "--continue", *more, status=1)
        assert "16 bits" in capsys.readouterr().err


def test_a_run_that_ended_by_patience_is_not_gone_on_with(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--epochs", 9, "--lr", "0", "--validate", "0.2", "--patience", 2)
    train(files, "a.gmck", *options)
    held = (files / "a.gmck").read_bytes()
    train(files, "a.gmck", *options, "--continue", status=1)
    assert "the run ended after epoch 3: none of the last 2 was better" in capsys.readouterr().err
    assert (files / "a.gmck").read_bytes() == held


def test_what_was_there_is_kept(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(files, "a.gmck")
    first = (files / "a.gmck").read_bytes()
    train(files, "a.gmck", "--lr", "0.1")
    assert (files / "a.before.gmck").read_bytes() == first and "a.before.gmck" in capsys.readouterr().err
    train(files, "a.gmck", "--no-backup")
    assert (files / "a.before.gmck").read_bytes() == first


def test_the_test_samples_are_for_the_end(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(files, "a.gmck", *COURSE, "--epochs", 3, "--json")
    found = json.loads(capsys.readouterr().out)
    data = Dataset.read(files / "data.npz")
    with open_target("twin") as target:
        target.load_image((files / "model.mote").read_bytes())
        target.load((files / "a.best.gmck").read_bytes())
        tested = evaluate(target, data)
        rest, apart = split(data, 0.2, 3)
        judged = evaluate(target, rest, apart.x, apart.y)
    assert found["test"] == {"loss": tested.loss, "accuracy": tested.accuracy}
    assert found["best"]["accuracy"] == judged.accuracy and found["epochs"][0]["samples"] == len(rest.x) // 16 * 16
