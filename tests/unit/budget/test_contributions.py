"""Contributions: measured on data, kept, and what the search makes of them."""

import numpy as np
import pytest
from unit.budget.small import CLASSES, network

from gradmote import losses, optimizers
from gradmote.budget import Limits, Task, measure, search
from gradmote.budget.contributions import HELD_OUT, with_test
from gradmote.budget.scores import Contributions
from gradmote.compiler import Options
from gradmote.device import Dataset
from gradmote.errors import DataError


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "gradmote" / "contributions"


def pictures(count, seed):
    """Noise, and a bar whose place is the class."""
    random = np.random.default_rng(seed)
    y = random.integers(0, CLASSES, count)
    x = 0.3 * random.normal(size=(count, 1, 12, 12)).astype(np.float32)
    for picture, place in zip(x, y, strict=True):
        picture[0, 4 * place : 4 * place + 3, :] += 1
    return x, y


@pytest.fixture(scope="module")
def data():
    return Dataset(*pictures(96, 0), *pictures(48, 1))


def task():
    return Task(network(), losses.cross_entropy(), optimizers.sgd(0.2, momentum=0.9), Options(batch=8))


def test_every_part_is_measured_once_and_kept(data, cache):
    seen = []
    measured = measure(task(), data, on_part=lambda done, total, name: seen.append((done, total, name)))
    assert set(measured.values) == {(layer, kind) for layer in range(4) for kind in ("weights", "biases")}
    assert all(value >= 0 for value in measured.values.values()) and any(measured.values.values())
    assert [s[0] for s in seen] == list(range(10)) and seen[2][2] == "weights of w4"
    assert len(list(cache.iterdir())) == 1
    again = measure(task(), data, on_part=lambda *step: pytest.fail("measured again"))
    assert again.values == measured.values
    assert "measured on 96 samples" in again.source


def test_other_data_is_measured_anew(data, cache):
    measure(task(), data)
    measure(task(), Dataset(data.x[:64], data.y[:64], data.x_test, data.y_test))
    assert len(list(cache.iterdir())) == 2


def test_what_was_kept_and_is_damaged_is_measured_again(data, cache):
    measured = measure(task(), data)
    file = next(cache.iterdir())
    file.write_text("[[1, 2")
    assert measure(task(), data).values == measured.values


def test_samples_are_held_out_where_there_is_no_test_set(data):
    alone = Dataset(data.x, data.y, more={"mask": np.arange(96)})
    split = with_test(alone, seed=0)
    assert len(split.x_test) == len(split.y_test) == len(split.more_test["mask"]) == int(96 * HELD_OUT)
    together = np.sort(np.concatenate([split.more["mask"], split.more_test["mask"]]))
    np.testing.assert_array_equal(together, np.arange(96))
    np.testing.assert_array_equal(split.x, data.x[split.more["mask"]])


def test_data_that_does_not_fit_the_model(data):
    with pytest.raises(DataError, match="has 36 values"):
        measure(task(), Dataset(data.x[:, :, :6, :6], data.y))


def test_what_adds_nothing_is_not_trained():
    """Only the biases of the first layer contribute anything beside the head: they are taken, the rest is not."""
    plain = task()
    values = {(layer, kind): 0.0 for layer in range(4) for kind in ("weights", "biases")}
    values |= {(0, "biases"): 0.2, (3, "weights"): 0.3, (3, "biases"): 0.1}
    found = search(plain, Limits(ram=10**6), Contributions(plain.layers(), values, "by hand"))
    trained = {p.name for p in found.result.compiled.parameters}
    assert {"b1", "w4", "b4"} <= trained and found.best.score == pytest.approx(1.0)
    assert "w1" not in trained, "no parameter that contributes nothing is trained"
