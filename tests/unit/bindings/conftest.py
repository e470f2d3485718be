"""Sessions on a small hand-assembled image."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gradmote import Session
from support.classifier_image import LABELS, PIXELS, classifier_image


@pytest.fixture(scope="session")
def image() -> bytes:
    return classifier_image()


@pytest.fixture
def session(image: bytes, profile: str) -> Iterator[Session]:
    """Opened, with NaN wherever a program must write before it reads, and one batch in place."""
    with Session(image, profile) as opened:
        opened.poison()
        opened.set_input(0, PIXELS)
        opened.set_label(0, LABELS)
        yield opened
