"""Samples are divided into those to train on and those to validate on."""

from __future__ import annotations

from studio import page


def test_the_split() -> None:
    page.require()
    assert "# pass 5" in page.unit("split.test.ts")
