"""docs/CONSOLE.md shows what a board says."""

from __future__ import annotations

import pytest
from device import console_page as page

pytestmark = pytest.mark.device


def test_the_conversations_are_not_stale(firmware):
    text = page.PAGE.read_text()
    for name, said in page.conversations(firmware):
        again = "`./run scons accept ONLY=console` writes it anew"
        assert page.without_sizes(page.shown(text, name)) == page.without_sizes(said), again
