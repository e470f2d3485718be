"""Training in the studio by clicks: the twin's bits, curves, and a state that is kept, saved and opened again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from bindings.test_node import images

from gradmote import Session, compile_model, losses, optimizers
from gradmote.compiler import Options
from studio import page

from shared.networks import Network

EPOCHS, BATCH, HELD, SEED, RATE = 2, 8, 0.2, 1, 0.01
WORD = 0xFFFFFFFF


@cache
def found() -> dict[str, Any]:
    """Train the example by clicks, with the samples in their order and in one that is drawn."""
    return page.click("training.mjs", EPOCHS)


def drawing(seed: int) -> Iterator[float]:
    """Yield numbers of 0 .. 1, as training/random.ts draws them."""
    state = seed
    while True:
        state = (state + 0x6D2B79F5) & WORD
        mixed = ((state ^ (state >> 15)) * (state | 1)) & WORD
        mixed ^= (mixed + ((mixed ^ (mixed >> 7)) * (mixed | 61) & WORD)) & WORD
        yield (mixed ^ (mixed >> 14)) / 2**32


def shuffled(indices: list[int], draws: Iterator[float]) -> list[int]:
    """Return the indices in an order that is drawn, as training/random.ts does."""
    order = list(indices)
    for last in range(len(order) - 1, 0, -1):
        other = int(next(draws) * (last + 1))
        order[last], order[other] = order[other], order[last]
    return order


def without_held_out(order: list[int], labels: np.ndarray) -> list[int]:
    """Return the order without the last ones of each class, as training/split.ts does."""
    held = set[int]()
    for label in np.unique(labels):
        samples = [sample for sample in order if labels[sample] == label]
        held.update(samples[len(samples) - int(len(samples) * HELD + 0.5) :])
    return [sample for sample in order if sample not in held]


def twin(arrange: Callable[[list[int]], list[int]]) -> str:
    """Return the digest of the twin's state after the same steps: `arrange` is called for the split and each epoch."""
    folder = page.built() / "examples"
    samples = np.load(folder / "digits.npz")
    count = len(samples["x"])
    train = without_held_out(arrange(list(range(count))), samples["y"])
    with Session((folder / "digits-cnn.mote").read_bytes(), "strict") as session:
        session.learning_rate = RATE
        for _ in range(EPOCHS):
            order = arrange(train)
            for at in range(0, len(order) - BATCH + 1, BATCH):
                rows = order[at : at + BATCH]
                session.step(samples["x"][rows], samples["y"][rows])
        return session.state_sha256()


def test_the_state_is_the_twins_after_the_same_steps() -> None:
    page.require()
    assert found()["ordered"]["digest"] == twin(lambda indices: indices)


def test_an_order_that_is_drawn_gives_the_twins_state_too() -> None:
    page.require()
    draws = drawing(SEED)
    assert found()["drawn"]["digest"] == twin(lambda indices: shuffled(indices, draws))


def test_it_tells_how_well_the_model_does() -> None:
    reported = found()
    assert reported["problems"] == []
    loss, accuracy = reported["curves"]
    first, last = (float(number) for number in loss.split("from ")[1].split(" to "))
    assert last < first / 3
    assert float(accuracy.split(": ")[1].split(" %")[0]) > 85
    assert f"Trained after {reported['ordered']['steps']} steps: accuracy" in reported["told"]
    assert reported["confusion"] == 10
    assert int(reported["ordered"]["steps"]) == reported["moved"]["steps"] and reported["moved"]["points"] > 20


def test_a_state_is_kept_saved_and_opened_again() -> None:
    reported = found()
    kept = reported["ordered"]["digest"]
    assert kept == reported["reopened"] == reported["loaded"] != reported["begun"] == reported["anew"]
    assert reported["again"].endswith(" B")
    assert "GM_ERR_TRUNCATED" in reported["refused"] and reported["kept"] == kept


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Begin trainings that do not run to their end."""
    paths = []
    for name in ("infer", "accumulate"):
        paths.append(tmp_path_factory.mktemp(name) / "own.mote")
        paths[-1].write_bytes(images()[name])
    reported = page.click("training_ends.mjs", *paths)
    assert reported["problems"] == []
    return reported


def test_numbers_that_are_not_finite_end_at_the_last_sound_state(ended: dict[str, Any]) -> None:
    assert "GM_ERR_NOT_FINITE" in ended["exploded"]["told"]
    assert "the state is that of step 0 again" in ended["exploded"]["told"]
    assert "lower the learning rate" in ended["exploded"]["told"]
    assert ended["exploded"]["sameParameters"]


def test_a_training_pauses_goes_on_and_stops(ended: dict[str, Any]) -> None:
    first, later, shown = ended["paused"]
    assert 50 <= first == later == shown
    assert int(ended["stopped"]) >= first + 20


def test_another_model_ends_a_training_without_an_error(ended: dict[str, Any]) -> None:
    assert ended["left"] == {"alerts": 0, "status": "ready"}


def test_an_image_without_a_step_program_trains_too(ended: dict[str, Any]) -> None:
    assert ended["accumulated"]["steps"] == (1797 - 359) // 2
    assert "accuracy" in ended["accumulated"]["told"]


def test_an_image_that_only_infers_says_so(ended: dict[str, Any]) -> None:
    assert "This image only infers" in ended["cannot"]


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Train on numbers to predict, and on samples that the model cannot take."""
    folder = tmp_path_factory.mktemp("others")
    network = Network((6,)).linear(16).relu().linear(2).model()
    (folder / "own.mote").write_bytes(compile_model(network, losses.mse(), optimizers.adam(0.01), Options(4)).image)
    drawn = np.random.default_rng(0)
    x, matrix = drawn.normal(0, 1, (300, 6)).astype("f"), drawn.normal(0, 1, (6, 2)).astype("f")
    np.savez(folder / "numbers.npz", x=x, y=x @ matrix)
    np.savez(folder / "classes.npz", x=drawn.random((80, 1, 8, 8), "f"), y=np.arange(80, dtype=np.int32) % 13)
    np.savez(folder / "shape.npz", x=drawn.random((80, 7), "f"), y=np.arange(80, dtype=np.int32) % 3)
    names = ("own.mote", "numbers.npz", "classes.npz", "shape.npz")
    reported = page.click("training_data.mjs", *(folder / name for name in names))
    assert reported["problems"] == []
    return reported


def test_a_model_that_predicts_numbers_has_a_loss_and_no_accuracy(others: dict[str, Any]) -> None:
    assert others["predicted"]["charts"] == 1
    assert "Trained after 600 steps: loss" in others["predicted"]["told"]
    assert 0 < others["predicted"]["loss"] < 0.5
    assert "Label" in others["predicted"]["answer"]


def test_samples_that_do_not_fit_say_why(others: dict[str, Any]) -> None:
    assert "GM_ERR_LABEL_OUT_OF_RANGE" in others["outside"] and "labels must be in" in others["outside"]
    assert "A sample has 7 numbers (7), and 'x' takes 64" in others["unfit"]
