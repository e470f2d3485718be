"""Steps that are not finite are skipped, counted and reported; a training of nothing else fails."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from gradmote import cli, optimizers
from gradmote.device import BoardTarget, TwinTarget
from gradmote.device.dataset import Dataset
from gradmote.device.fitting import Step, fit
from gradmote.errors import GradmoteError
from support import digits

BATCH = 10
FLAT = re.compile(r"\s+")


@pytest.fixture
def twin() -> Iterator[TwinTarget]:
    with TwinTarget() as target:
        yield target


def data_with(bad: int) -> Dataset:
    """100 digits; each of the first `bad` has a pixel that is not finite."""
    pixels, labels = digits.samples()
    x = pixels[:100].copy()
    x[:bad, 0] = np.tile([np.nan, np.inf, -np.inf], 100)[:bad]
    return Dataset(x=x, y=labels[:100], x_test=pixels[:20], y_test=labels[:20])


@pytest.mark.parametrize("accumulate, micro_batches", [(False, 1), (True, 1), (True, 2)])
def test_fit_counts_them_and_goes_on(twin, accumulate, micro_batches):
    """The loss is the mean of the others; skipped steps change only their count."""
    twin.load_image(digits.image(optimizers.adamw(0.003), BATCH, accumulate))
    steps: list[Step] = []
    result = fit(twin, data_with(1), 3, on_step=steps.append, micro_batches=micro_batches)
    assert result.skipped == 3 and [epoch.skipped for epoch in result.epochs] == [1, 1, 1]
    losses = np.array([step.metrics.loss for step in steps])
    assert np.isnan(losses).sum() == 3
    assert result.epochs[0].loss == pytest.approx(np.nanmean(losses[: len(losses) // 3]))
    assert steps[-1].metrics.skipped_steps == twin.session.skipped_steps == 3
    assert twin.session.control()["optimizer_steps"] == len(steps) - 3
    assert np.isfinite(np.frombuffer(twin.parameters(), np.float32)).all()


def test_an_epoch_of_nothing_else_is_an_error(twin):
    twin.load_image(digits.image(optimizers.sgd(0.1), BATCH))
    with pytest.raises(GradmoteError, match=r"all steps of epoch 1 were skipped: .* - lower the learning rate"):
        fit(twin, data_with(100), 5)
    assert twin.session.skipped_steps == 10


def test_a_rate_that_is_far_too_high(twin):
    """The loss overflows, and so would all that follows."""
    twin.load_image(digits.image(optimizers.sgd(0.1), BATCH))
    twin.set_learning_rate(1e30)
    with pytest.raises(GradmoteError, match="were skipped"):
        fit(twin, data_with(0), 5)
    assert np.isfinite(np.frombuffer(twin.parameters(), np.float32)).all()


def test_the_command_tells(tmp_path: Path):
    (tmp_path / "model.mote").write_bytes(digits.image(optimizers.adamw(0.003), BATCH))
    for bad in (1, 100):
        data = data_with(bad)
        np.savez(tmp_path / f"{bad}.npz", x=data.x, y=data.y)
    train = ["train", str(tmp_path / "model.mote"), "--epochs", "2", "--data"]
    said = CliRunner().invoke(cli.app, [*train, str(tmp_path / "1.npz")])
    assert said.exit_code == 0 and "skipped" in said.stdout.splitlines()[0]
    text = FLAT.sub(" ", said.stdout)
    assert "2 steps skipped: the data, the loss or a gradient is NaN or infinite - lower the learning rate" in text
    report = json.loads(CliRunner().invoke(cli.app, [*train, str(tmp_path / "1.npz"), "--json"]).stdout)
    assert report["skipped"] == 2 and report["epochs"][0]["skipped"] == 1
    failed = CliRunner().invoke(cli.app, [*train, str(tmp_path / "100.npz")])
    assert failed.exit_code != 0


@pytest.mark.device
def test_typed_and_by_frames(emulator):
    """The board goes on as the twin does; `train` ends after 64 in a row, and says why."""
    image = digits.image(optimizers.adamw(0.003), BATCH)
    with emulator.connect() as client, TwinTarget("strict") as twin:
        board = BoardTarget(client)
        results = []
        for target in (board, twin):
            target.load_image(image)
            results.append(fit(target, data_with(1), 1))
        assert results[0].skipped == results[1].skipped == 1
        assert board.state() == twin.state()
        bad = data_with(100)
        board.write("input", 0, bad.x[:BATCH])
        board.write("label", 0, bad.y[:BATCH])
        assert "5 steps skipped: the input, the loss or a gradient is NaN or infinite" in client.type("train 5")
        assert "64 steps skipped: " in client.type("train 1000")
        assert client.metrics().skipped_steps == 70 and "skipped steps   70" in client.type("info")
        board.write("input", 0, data_with(0).x[:BATCH])
        assert "skipped" not in client.type("train 2")
