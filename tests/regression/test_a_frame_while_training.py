"""A frame that came during a typed `train N` was not answered before all N steps, and Ctrl-C after it was not read."""

from __future__ import annotations

import pytest
from fuzz import conversing, seeds
from regression import forged

FOREVER = "train 4294967295"


@pytest.mark.parametrize("lines", [[FOREVER], [FOREVER, "save"], ["save every 1", FOREVER]])
def test_the_frame_is_answered_and_ctrl_c_read(lines, tmp_path):
    """The conversation's own end is Ctrl-C, then INFO."""
    conversing.build()
    said = forged.samples() + seeds.typed(*lines) + seeds.request(1, "INFO") + seeds.request(2, "METRICS") * 3
    assert "served" in conversing.follow(said + seeds.request(3, "SAVE"), tmp_path)
