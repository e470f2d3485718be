"""READ of CHECKPOINT_HALF trusted the size in a slot's record, which anyone at the line can write: it read before the
checkpoint area (size 0), at addresses that no word may have (size 2), or past it."""

from __future__ import annotations

import pytest
from fuzz import conversing, seeds
from regression import forged

CHECKPOINT, CHECKPOINT_HALF = 5, 7


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 47, 48, 50, 260, 991, 992])
def test_records_of_any_size(size, tmp_path):
    conversing.build()
    said = forged.programmed(forged.slot(7, size, bytes(forged.FILE)))  # a plain file, by its header
    for number, offset in enumerate((0, 16, 48, 100, 255, 300, 1 << 31, 0xFFFFFFFF)):
        for source in (CHECKPOINT, CHECKPOINT_HALF):
            where = {"source": source, "program": 0, "role": 0, "index": 0, "offset": offset, "length": 200}
            said += seeds.request(2 * number + source // 7, "READ", **where)
    assert "served" in conversing.follow(said + seeds.request(100, "LOAD") + seeds.typed("info", "load"), tmp_path)
