"""The digits of scikit-learn are learned from each form to the same accuracy, and to the same bits."""

from __future__ import annotations

from unit.data.digits_in_every_form import train, write_forms

from gradmote import optimizers
from gradmote.device import TwinTarget
from gradmote.testing import assert_learns
from support import digits


def test_every_form_teaches_the_same(tmp_path):
    found = {form: train(tmp_path, data) for form, data in write_forms(tmp_path).items()}
    assert len(found) == 6 and len(set(found.values())) == 1, found
    accuracy, _ = next(iter(found.values()))
    assert accuracy > 0.85


def test_assertions_take_a_folder_as_the_model_does(tmp_path):
    write_forms(tmp_path)
    with TwinTarget() as twin:
        twin.load_image(digits.image(optimizers.adamw(0.003), 8))
        assert_learns(twin, tmp_path / "faces")
