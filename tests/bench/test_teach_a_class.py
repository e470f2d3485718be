"""The short form of teach_a_class.py: one missing class on the twin, and on the emulated board in its idle time."""

from __future__ import annotations

import pytest
from bench.teach_a_class import SAMPLES, STEPS, lesson, measured, on_board, pretrained, with_store

from gradmote.device import TwinTarget
from support.firmware import build_firmware

LABEL = 8


@pytest.fixture(scope="module")
def given():
    return lesson(LABEL, SAMPLES)


@pytest.fixture(scope="module")
def compiled(given):
    return with_store(pretrained(given), given)


def check(row):
    """Check that a new class is recognized, and the others are not forgotten."""
    assert row.recall_before < 0.05
    assert row.recall >= 0.9
    assert row.lost <= 0.03


def test_a_class_taught_to_the_twin(given, compiled):
    with TwinTarget() as twin:
        check(measured(twin, compiled, given, STEPS))


@pytest.mark.device
def test_a_class_taught_to_a_board(given, compiled):
    build_firmware()
    check(on_board(compiled, given, STEPS))
