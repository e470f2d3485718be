"""Tests of a model, to copy from: does it fit, does it learn, does the board get the same bits?

pytest examples/testing                                     # on the twin and on an emulated board
pytest examples/testing --gradmote-board=/dev/ttyACM0       # the same tests on your board
"""

import digits_cnn
import pytest

from gradmote import losses, optimizers
from gradmote.compiler import Options, compile_model
from gradmote.testing import assert_accuracy, assert_fits, assert_learns, assert_memory, assert_same_state

from data import digits

BOARD = "mps2-an386"


@pytest.fixture(scope="module")
def model():
    """Return the model for the board; a path to your .mote file works as well."""
    return compile_model(digits_cnn.network(), losses.cross_entropy(), optimizers.adamw(0.01), Options(batch=8))


@pytest.fixture(scope="module")
def samples():
    return digits.load()


def test_it_fits_the_board(model):
    assert_fits(model, ram="48K", flash="16K")
    assert_fits(model, board=BOARD)


def test_it_learns_digits(gradmote_twin, model, samples):
    twin = gradmote_twin(model)
    assert_learns(twin, samples, epochs=2, to_accuracy=0.9)


def test_what_it_learned_comes_back(gradmote_twin, model, samples):
    twin = gradmote_twin(model)
    assert_learns(twin, samples)
    checkpoint, accuracy = twin.save(), assert_accuracy(twin, samples, at_least=0.8).accuracy
    twin.reset()
    twin.load(checkpoint)
    assert_accuracy(twin, samples, at_least=accuracy)


@pytest.mark.gradmote_emulator(BOARD)
def test_the_board_learns_the_same(gradmote_board, gradmote_twin, model, samples):
    board = gradmote_board(BOARD, model)
    twin = gradmote_twin(model, profile=board.info().profile)
    few = samples.x[:64], samples.y[:64]
    for target in (board, twin):
        assert_learns(target, few)
    assert_same_state(board, twin)
    assert_memory(board, arena_at_most="48K", stack_at_most="1.5K")
